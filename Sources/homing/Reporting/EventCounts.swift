import ControlAPI
import SyncModel

/// How many events of each kind are kept, among the newest.
struct EventCounts: Encodable, Equatable {
    private(set) var kinds = WordCounts<SyncEvent.Kind>()
    /// Events of kinds that this program does not know.
    private(set) var others = 0

    init() {}

    /// Counts the newest 10,000 events up to the cursor. Events that cannot be read are missing.
    init(from client: ControlClient, upTo cursor: Int64) async {
        var counts = EventCounts()
        // `try?`: the rest of the report is useful without them.
        try? await client.keptEvents(after: max(0, cursor - 10_000), follow: false) { event in
            counts.add(event.kind)
            return true
        }
        self = counts
    }

    mutating func add(_ kind: String) {
        if let kind = SyncEvent.Kind(rawValue: kind) { kinds.add(kind) } else { others += 1 }
    }
}
