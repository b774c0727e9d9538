import ControlAPI
import Foundation

/// Performs the action of a button.
struct Acting {
    let client: ControlClient
    let desk: Desk

    enum Outcome {
        /// - Parameters:
        ///   - did: the notice, a key of the catalogue after `did.`.
        ///   - path: the next page; nil for the one with the button.
        case done(_ did: String, path: [String]? = nil)
        case page(Page)
    }

    /// Nil for an unknown path.
    func outcome(of visit: Visit) async throws(Problem) -> Outcome? {
        let backend = visit.form["backend"]
        switch visit.path {
        case ["sync"]:
            _ = try await client.call(Endpoints.sync, SyncRequest(backend: backend))
            return .done("tried")
        case ["resume"]:
            _ = try await client.call(Endpoints.resume, ResumeRequest(backend: backend))
            return .done("resumed")
        case ["claim"]:
            // The person saw this account; another may have signed in meanwhile.
            let account = try await Reading(client: client, desk: desk).backend(backend)?.session.account
            guard let account, account == visit.form["account"] else { return .done("nothing") }
            _ = try await client.call(Endpoints.claim, NoInput())
            return .done("claimed")
        case ["accounts", "sign-in"]: return try await signIn(visit.form)
        case ["accounts", "sign-out"]:
            let account = visit.form["account"].flatMap { $0.isEmpty ? nil : $0 }
            // The person saw this account; another may have signed in meanwhile.
            _ = try await client.call(Endpoints.signOut, SignOut(backend: backend, account: account, keepData: visit.form["keep"] == "yes"))
            return .done("signed.out", path: ["accounts"])
        case ["file", "discard"]:
            let request = FileDiscardRequest(name: visit.form["name"] ?? "", reason: visit.form["reason"] ?? "")
            _ = try await client.call(Endpoints.discardFile, request)
            return .done("destroyed", path: [])
        default: break
        }
        guard visit.path.count == 3, visit.path[0] == "entry" else { return nil }
        return try await change(visit.path[1], visit.path[2], visit.form)
    }

    private func change(_ id: String, _ action: String, _ form: [String: String]) async throws(Problem) -> Outcome? {
        switch action {
        case "retry":
            _ = try await client.call(Endpoints.retry, RetryRequest(id: id))
            return .done("retried")
        case "resolve":
            let remote = form["remote"].flatMap { $0.isEmpty ? nil : $0 }
            // Neither answer is a guess: the wrong one loses the entry, or makes a second one.
            guard let answer = form["delivered"], answer == "yes" || (answer == "no" && remote == nil) else { return nil }
            _ = try await client.call(Endpoints.resolve, ResolveRequest(id: id, remoteID: remote, delivered: answer == "yes"))
            return .done("resolved", path: ["entry", id])
        case "fix":
            let old = try await client.call(Endpoints.entry, EntryReference(id: id)).entry
            guard let field = old.subject?.field, let person = form["person"], !person.isEmpty else { return nil }
            let request = FixRequest(id: old.id, newID: UUID().uuidString.lowercased(), fields: [field: person], strict: true)
            let receipt = try await client.call(Endpoints.fix, request)
            return .done("fixed", path: ["entry", receipt.id])
        case "discard":
            try await discard(id, reason: form["reason"].flatMap { $0.isEmpty ? nil : $0 })
            return .done("discarded", path: [])
        case "restore":
            try await restore(id)
            return .done("restored")
        default: return nil
        }
    }

    /// With the entries that are sent only after it, in this order: one of those, sent alone, would make a row without content.
    private func discard(_ id: String, reason: String?) async throws(Problem) {
        let entry = try await client.call(Endpoints.entry, EntryReference(id: id)).entry
        for entry in try await Reading(client: client, desk: desk).discardChoice(entry).all {
            _ = try await client.call(Endpoints.discard, DiscardRequest(id: entry.id, grace: DiscardRequest.usualGrace, reason: reason))
        }
    }

    /// With the one that was discarded with it.
    private func restore(_ id: String) async throws(Problem) {
        let entry = try await client.call(Endpoints.restore, EntryReference(id: id))
        let follower = try await entry.discardedFollower { id async throws(Problem) in
            try await client.call(Endpoints.entry, EntryReference(id: id)).entry
        }
        if let follower { _ = try await client.call(Endpoints.restore, EntryReference(id: follower.id)) }
    }

    private func signIn(_ form: [String: String]) async throws(Problem) -> Outcome? {
        guard let backend = try await Reading(client: client, desk: desk).backend(form["backend"]) else { return nil }
        let secret = form["password"]
        var request = SignIn(backend: backend.name, email: form["email"].flatMap { $0.isEmpty ? nil : $0 })
        switch backend.session.knownSignInMeans {
        case .password, .unknown: (request.password, request.remember) = (secret, form["remember"] == "yes")
        case .refreshToken: request.refreshToken = secret
        case .token: request.token = secret
        }
        do throws(Problem) {
            _ = try await client.call(Endpoints.signIn, request)
        } catch {
            // With the address that the person typed, but not with the secret.
            return .page(AccountsPage.signIn(backend, email: form["email"], problem: error, desk))
        }
        return .done("signed.in", path: ["accounts"])
    }
}
