extension Ledger {
    /// How many requests arrived whose path contains this text, with this method and this answer.
    package func requestCount(_ method: String? = nil, path: String = "", status: Int? = nil) -> Int {
        requests.count { request in
            (method == nil || request.method == method) && (path.isEmpty || request.path.contains(path))
                && (status == nil || request.status == status)
        }
    }

    /// How often a client tried to sign in.
    package var logInCount: Int { requests.count { $0.signingIn != nil } }

    /// What was accepted with this identifier of the client.
    package func entries(clientMutationID: String) -> [LedgerEntry] {
        entries.filter { $0.clientMutationID == clientMutationID }
    }

    /// What was accepted more than once under one identifier of the client, by that identifier.
    package var duplicates: [String: [LedgerEntry]] {
        let named = entries.filter { $0.clientMutationID != nil && $0.method != "DELETE" }
        return Dictionary(grouping: named) { $0.clientMutationID ?? "" }.filter { $0.value.count > 1 }
    }

    /// What was accepted with the credential of another account than the one whose it is, by the identifiers of the client.
    ///
    /// - Parameter owners: the account of each identifier.
    package func misattributed(owners: [String: Int]) -> [LedgerEntry] {
        entries.filter { entry in entry.clientMutationID.flatMap { owners[$0] }.map { $0 != entry.account } ?? false }
    }

    /// Requests that carried the credentials of two accounts at once.
    package var mixed: [RequestRecord] {
        requests.filter { request in request.account.flatMap { one in request.rememberedAccount.map { $0 != one } } ?? false }
    }

    /// How many requests there were by method and path and by the status they got ("none" where nothing was answered).
    package var counters: [String: [String: Int]] {
        var counters: [String: [String: Int]] = [:]
        for request in requests {
            counters["\(request.method) \(request.path)", default: [:]][request.status.map(String.init) ?? "none", default: 0] += 1
        }
        return counters
    }
}
