import Backends
import ControlAPI
import ControlServer
import Delivery
import Foundation
import Logging
import Outbox
import ServiceLifecycle
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
        let way = request.way
        let snapshot: SessionSnapshot
        do throws(AuthenticationError) {
            snapshot = try await untilShutdown { () throws(AuthenticationError) in
                try await keeper.signIn(way, remember: request.remember ?? false)
            }
        } catch {
            if error.isRefusal {
                // `try?`: the journal has it too, and a full disk must not hide the refusal itself.
                try? await outbox.record([
                    SyncEvent(at: clock.now, .signInRefused, backend: name, detail: ["by": peer.description])
                ])
            }
            throw Problem(error, signingInAt: keeper.backend, by: way, commands(for: name))
        }
        log.notice("Signed in", metadata: ["backend": "\(name)", "account": "\(snapshot.account?.id ?? "")"])
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
        let theirs = account.map { Destination(backend: name, account: $0.id) }
        if keeper.backend.outboxOnSignOut == .refuse { try await refuseWhileUnsent(theirs) }
        let outcome: SignOutOutcome
        do throws(SignOutError) {
            outcome = try await untilShutdown { () throws(SignOutError) in
                try await keeper.signOut(allDevices: request.allDevices) { await dispatcher.drain(backend: name) }
            }
        } catch {
            throw Problem(error, at: name)
        }
        log.notice(
            "Signed out", metadata: ["backend": "\(name)", "account": "\(account?.id ?? "")", "server": "\(outcome.server.name)"])
        try await stored { () throws(OutboxError) in
            try await outbox.record([
                SyncEvent(
                    at: clock.now, .signedOut, backend: name, account: account?.id,
                    detail: ["by": peer.description, "server": outcome.server.name])
            ])
        }
        if keeper.backend.outboxOnSignOut == .drop, outcome.local == .cleared { try await drop(theirs, by: peer) }
        return SignOutReport(
            backend: name, local: outcome.local.rawValue, server: outcome.server.name, serverReason: outcome.server.reason,
            email: account?.label, waiting: try await unsent(theirs))
    }

    /// Nobody waits for a backend that hangs while the daemon stops: what is under way goes on without its caller.
    private func untilShutdown<T: Sendable, E: Error>(_ work: @escaping @Sendable () async throws(E) -> T) async throws(E) -> T {
        let outcome: Result<T, E> = await cancelWhenGracefulShutdown {
            do throws(E) { return .success(try await work()) } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    /// How many entries of a destination have still to go up.
    private func unsent(_ destination: Destination?) async throws(Problem) -> Int {
        try await stored { () throws(OutboxError) in
            try await outbox.tallies().filter { $0.destination == destination && ($0.state == .pending || $0.state == .inflight) }
                .map(\.count).reduce(0, +)
        }
    }

    /// For a backend whose profile says `outbox: refuse`.
    private func refuseWhileUnsent(_ destination: Destination?) async throws(Problem) {
        let count = try await unsent(destination)
        guard count > 0 else { return }
        throw Problem(
            .wrongState, status: 409, title: "Not everything has gone up",
            detail:
                "\(StatusSummary.captures(count)) \(count == 1 ? "has" : "have") not gone up, and this backend’s profile forbids signing out before that.",
            next: "Wait for them (homing sync --wait), or have an administrator discard them.")
    }

    /// For a backend whose profile says `outbox: drop`: whoever signs out there decides that what they captured goes too.
    private func drop(_ destination: Destination?, by peer: Peer) async throws(Problem) {
        try await stored { () throws(OutboxError) in
            for state in [Entry.State.pending, .dead, .held] {
                var cursor: Int64 = 0
                while let page = Optional(try await outbox.entries(state: state, backend: destination?.backend, after: cursor, limit: 500)),
                    let last = page.last
                {
                    for record in page where record.destination == destination {
                        try await outbox.discard(record.id, by: peer.description, named: UserName(peer.uid).short, at: clock.now)
                    }
                    cursor = last.sequence
                }
            }
        }
    }
}

extension SessionReport {
    init(_ snapshot: SessionSnapshot) {
        self.init(
            backend: snapshot.backend, state: snapshot.state.rawValue, account: snapshot.account?.id, email: snapshot.account?.label,
            since: snapshot.since, remembered: snapshot.remembered, reason: snapshot.reason)
    }
}

extension AuthenticationError {
    /// Whether the backend has looked at who it is, and said no.
    fileprivate var isRefusal: Bool {
        switch self {
        case .refused, .locked: true
        default: false
        }
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

extension SignIn {
    fileprivate var way: WayIn {
        let label = email.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0.trimmingCharacters(in: .whitespaces) }
        return if let token { .accessToken(Secret(token), label: label) } else if let refreshToken {
            .refreshToken(Secret(refreshToken), label: label)
        } else {
            .password(email: email ?? "", Secret(password ?? ""))
        }
    }
}
