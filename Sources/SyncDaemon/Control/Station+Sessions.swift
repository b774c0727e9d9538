import Backends
import ControlAPI
import ControlServer
import Delivery
import Foundation
import Logging
import Outbox
import SyncModel

extension Station {
    func sessions(_ request: NoInput, by peer: Peer) async throws(Problem) -> SessionList {
        var reports: [SessionReport] = []
        for keeper in keepers.values.sorted(by: { $0.backend.name < $1.backend.name }) {
            reports.append(SessionReport(await keeper.snapshot))
        }
        return SessionList(sessions: reports)
    }

    func signIn(_ request: SignIn, by peer: Peer) async throws(Problem) -> SessionReport {
        let keeper = try keeper(request.backend)
        let name = keeper.backend.name
        let snapshot: SessionSnapshot
        do {
            snapshot = try await keeper.signIn(email: request.email, password: request.password, remember: request.remember ?? false)
        } catch {
            log.warning("A sign-in failed", metadata: ["backend": "\(name)", "by": "\(peer)"])
            throw Problem(error, signingInAt: name)
        }
        log.notice("Signed in", metadata: ["backend": "\(name)", "account": "\(snapshot.account?.id ?? "")", "by": "\(peer)"])
        try await stored { () throws(OutboxError) in
            if let account = snapshot.account { try await outbox.remember(account, of: name) }
            try await outbox.record([
                SyncEvent(at: clock.now, .signedIn, backend: name, account: snapshot.account?.id, detail: ["by": peer.description])
            ])
        }
        return SessionReport(snapshot)
    }

    func signOut(_ request: SignOut, by peer: Peer) async throws(Problem) -> SignOutReport {
        let keeper = try keeper(request.backend)
        let name = keeper.backend.name
        let account = await keeper.snapshot.account
        let outcome: SignOutOutcome
        do {
            outcome = try await keeper.signOut(allDevices: request.allDevices) { await dispatcher.drain(backend: name) }
        } catch {
            throw Problem(error, at: name)
        }
        var report = SignOutReport(
            backend: name, local: outcome.local.rawValue, server: outcome.server.name, serverReason: outcome.server.reason,
            email: account?.label, waiting: 0)
        log.notice(
            "Signed out",
            metadata: ["backend": "\(name)", "account": "\(account?.id ?? "")", "server": "\(report.server)", "by": "\(peer)"])
        report.waiting = try await stored { () throws(OutboxError) in
            try await outbox.record([
                SyncEvent(
                    at: clock.now, .signedOut, backend: name, account: account?.id,
                    detail: ["by": peer.description, "server": outcome.server.name])
            ])
            guard let account else { return 0 }
            let theirs = Destination(backend: name, account: account.id)
            return try await outbox.tallies().filter { $0.destination == theirs && $0.state == .pending }.map(\.count).reduce(0, +)
        }
        return report
    }
}

extension SessionReport {
    init(_ snapshot: SessionSnapshot) {
        self.init(
            backend: snapshot.backend, state: snapshot.state.rawValue, account: snapshot.account?.id, email: snapshot.account?.label,
            since: snapshot.since, remembered: snapshot.remembered, reason: snapshot.reason)
    }
}

extension SignOutOutcome.Server {
    fileprivate var name: String {
        switch self {
        case .ended: "ended"
        case .alreadyGone: "alreadyGone"
        case .failed: "failed"
        case .none: "none"
        }
    }

    fileprivate var reason: String? { if case .failed(let reason) = self { reason } else { nil } }
}
