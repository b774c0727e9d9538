extension Ledger {
    /// The number of requests with this method and status, and a path that contains `path`.
    package func requestCount(_ method: String? = nil, path: String = "", status: Int? = nil) -> Int {
        requests.count { request in
            (method == nil || request.method == method) && (path.isEmpty || request.path.contains(path))
                && (status == nil || request.status == status)
        }
    }

    package var logInCount: Int { requests.count { $0.signingIn != nil } }

    package func entries(clientMutationID: String) -> [LedgerEntry] {
        entries.filter { $0.clientMutationID == clientMutationID }
    }

    /// Entries accepted more than once under one client identifier, without deletions.
    package var duplicates: [String: [LedgerEntry]] {
        let named = entries.filter { $0.clientMutationID != nil && $0.method != "DELETE" }
        return Dictionary(grouping: named) { $0.clientMutationID ?? "" }.filter { $0.value.count > 1 }
    }

    /// Entries accepted with another account's credential. `owners` has the account of each client identifier.
    package func misattributed(owners: [String: Int]) -> [LedgerEntry] {
        entries.filter { entry in entry.clientMutationID.flatMap { owners[$0] }.map { $0 != entry.account } ?? false }
    }

    /// Requests with credentials of two accounts.
    package var mixed: [RequestRecord] {
        requests.filter { request in request.account.flatMap { one in request.rememberedAccount.map { $0 != one } } ?? false }
    }

    /// The number of requests by `METHOD path` and by status ("none" without a response).
    package var counters: [String: [String: Int]] {
        var counters: [String: [String: Int]] = [:]
        for request in requests {
            counters["\(request.method) \(request.path)", default: [:]][request.status.map(String.init) ?? "none", default: 0] += 1
        }
        return counters
    }
}
