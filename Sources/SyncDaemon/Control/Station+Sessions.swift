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
        let labels = try await stored { () throws(OutboxError) in try await outbox.accountLabels() }
        let known = labels.filter { $0.key.backend == name }.map { Account(id: $0.key.account, label: $0.value) }
        let snapshot: SessionSnapshot
        do throws(AuthenticationError) {
            snapshot = try await untilShutdown { () throws(AuthenticationError) in
                try await keeper.signIn(way, remember: request.remember ?? false, known: known)
            }
        } catch {
            if error.isRefusal { await tellRefusal(of: request.attempted, at: name, to: peer) }
            throw Problem(error, signingInAt: keeper.backend, by: way, commands(for: name))
        }
        log.notice("Signed in", metadata: facts(Requester(peer), name, snapshot.account?.id))
        try await stored { () throws(OutboxError) in
            if let account = snapshot.account { try await outbox.remember(account, of: name) }
            try await outbox.record([
                SyncEvent(at: clock.now, .signedIn, backend: name, account: snapshot.account?.id, detail: ["by": peer.description])
            ])
        }
        return SessionReport(snapshot)
    }

    /// Every refusal, whatever else of this caller's is left untold: the next ones may lock the account.
    private func tellRefusal(of attempted: String?, at name: String, to peer: Peer) async {
        var (metadata, detail) = (facts(Requester(peer), name, nil), ["by": peer.description])
        if let attempted { (metadata["as"], detail["as"]) = ("\(attempted)", attempted) }
        log.notice("A sign-in was refused", metadata: metadata)
        // `try?`: the journal has it too, and a full disk must not hide the refusal itself.
        try? await outbox.record([SyncEvent(at: clock.now, .signInRefused, backend: name, detail: detail)])
    }

    /// Nobody waits for a backend that hangs while the daemon stops: what is under way goes on without its caller.
    func untilShutdown<T: Sendable, E: Error>(_ work: @escaping @Sendable () async throws(E) -> T) async throws(E) -> T {
        let outcome: Result<T, E> = await cancelWhenGracefulShutdown {
            do throws(E) { return .success(try await work()) } catch { return .failure(error) }
        }
        return try outcome.get()
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

extension SignIn {
    fileprivate var way: WayIn {
        let label = email.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0.trimmingCharacters(in: .whitespaces) }
        return if let token { .accessToken(Secret(token), label: label) } else if let refreshToken {
            .refreshToken(Secret(refreshToken), label: label)
        } else {
            .password(email: email ?? "", Secret(password ?? ""))
        }
    }

    /// The name that was tried, as far as it can stand in a line; nil where none was given.
    fileprivate var attempted: String? {
        let name = String(
            String.UnicodeScalarView((email ?? "").unicodeScalars.filter { $0.properties.generalCategory.isPrintable }.prefix(254)))
        return name.isEmpty ? nil : name
    }
}

extension Unicode.GeneralCategory {
    /// Neither a control character nor a separator of lines, which would forge a second one.
    fileprivate var isPrintable: Bool {
        ![.control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse].contains(self)
    }
}
