import ControlAPI

/// Entries that ‘retry --all’ sends again, and those that it skips; none that are being discarded.
struct RetryChoice {
    private(set) var retried: [EntrySummary] = []
    /// Entries that may have taken effect and cannot be looked up.
    private(set) var doubtful: [EntrySummary] = []
    /// Entries that need the row of an entry that is not delivered and not retried.
    private(set) var stranded: [EntrySummary] = []

    /// `entries` are by ascending sequence; `state` is that of an entry that others need, nil for an unknown one.
    init(
        _ entries: [EntrySummary], skipsDoubtful: Bool, state: (String) async throws(Problem) -> String?
    ) async throws(Problem) {
        // True if the entry's row can still be created.
        var isViable: [String: Bool] = [:]
        for entry in entries where !entry.isBeingDiscarded {
            if let create = entry.needs {
                if isViable[create] == nil { isViable[create] = Self.viable.contains(try await state(create) ?? "") }
                guard isViable[create] == true else {
                    stranded.append(entry)
                    isViable[entry.id] = false
                    continue
                }
            }
            let isDoubtful = skipsDoubtful && entry.retryMayDuplicate == true
            isViable[entry.id] = !isDoubtful
            if isDoubtful { doubtful.append(entry) } else { retried.append(entry) }
        }
    }

    private static let viable: Set = ["pending", "inflight", "delivered"]
}
