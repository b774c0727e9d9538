import Backends
import Capture
import ControlAPI
import ControlServer
import Delivery
import Foundation
import Logging
import Outbox
import ServiceLifecycle
import Sessions
import SyncModel

extension ControlHandler {
    func sessions(_ request: NoInput, by caller: Caller) async throws -> SessionList {
        var reports: [SessionReport] = []
        for keeper in keepers.values.sorted(by: { $0.backend.name < $1.backend.name }) {
            reports.append(ObserverView(caller).session(SessionReport(await keeper.snapshot, at: keeper.backend)))
        }
        return SessionList(sessions: reports)
    }

    func signIn(_ request: SignIn, by caller: Caller) async throws -> SessionReport {
        let keeper = try keeper(request.backend)
        let name = keeper.backend.name
        let method = request.method
        guard method.canBeSent else {
            throw Problem.invalid(
                "The token contains a line break or another control character, or white space at its start or end.",
                next: "Pass only the token, on one line."
            ).stating(.tokenUnclean)
        }
        let labels = try await outbox.accountLabels()
        let known = labels.filter { $0.key.backend == name }.map { Account(id: $0.key.account, label: $0.value) }
        // Files already there were dropped before the sign-in.
        await spool.accountMayHaveChanged()
        let snapshot: SessionSnapshot
        do throws(SignInError) {
            snapshot = try await untilShutdown { () throws(SignInError) in
                try await keeper.signIn(method, remember: request.remember ?? false, by: Requester(caller.peer), known: known)
            }
        } catch {
            await tell(error, of: request.attempted, at: name, to: caller.peer)
            throw Problem(error, signingInAt: keeper.backend, by: method, commands(for: name))
        }
        // Files dropped after the answer belong to the account.
        await spool.accountMayHaveChanged()
        return SessionReport(snapshot, at: keeper.backend)
    }

    /// Records every failed sign-in, unthrottled: refusals may lock the account.
    private func tell(_ error: SignInError, of attempted: String?, at name: String, to peer: Peer) async {
        guard let (kind, reason) = error.news else { return }
        var (metadata, detail) = (facts(Requester(peer), name, nil), ["by": peer.description])
        if let attempted { (metadata["as"], detail["as"]) = ("\(attempted)", attempted) }
        if let reason { (metadata["reason"], detail["reason"]) = ("\(reason)", reason) }
        log.notice(kind == .signInRefused ? "A sign-in was refused" : "A sign-in failed", metadata: metadata)
        // `try?`: the journal has it too; a full disk must not hide the problem itself.
        try? await outbox.record([SyncEvent(at: clock.now, kind, backend: name, detail: detail)])
    }

    /// Abandons the wait at shutdown; the work continues without its caller.
    func untilShutdown<T: Sendable, E: Error>(_ work: @escaping @Sendable () async throws(E) -> T) async throws(E) -> T {
        let outcome: Result<T, E> = await cancelWhenGracefulShutdown {
            do throws(E) { return .success(try await work()) } catch { return .failure(error) }
        }
        return try outcome.get()
    }
}

extension SessionReport {
    init(_ snapshot: SessionSnapshot, at backend: Backend) {
        self.init(
            backend: snapshot.backend, state: snapshot.state.rawValue, account: snapshot.account?.id.rawValue,
            email: snapshot.account?.label,
            since: snapshot.since, remembered: snapshot.remembered, reason: snapshot.reason, signInBy: backend.signInMeans.rawValue)
        failingSince = snapshot.failing?.since
        failure = snapshot.failing?.failure.message
    }
}

extension SignInError {
    /// The event for a failed sign-in; nil if the daemon was stopping.
    fileprivate var news: (kind: SyncEvent.Kind, reason: String?)? {
        switch self {
        // The backend checked the credentials and refused them.
        case .refused, .locked: (.signInRefused, nil)
        case .undeclared(let failure): (.signInRefused, failure.message)
        case .labelTaken(let label): (.signInRefused, "\(label) is the name of another account")
        case .unnamed: (.signInFailed, "the backend does not report the token’s account, and no name was given")
        case .secondFactor: (.signInFailed, "the account needs a second factor")
        case .unavailable(let failure): failure.reason == .stopping ? nil : (.signInFailed, failure.message)
        case .misbehaved(let words), .unsupported(let words): (.signInFailed, words)
        case .unsaved(let error): (.signInFailed, error.description)
        case .conflict(let account): (.signInFailed, "\(account.label) is signed in")
        case .signingOut: (.signInFailed, "a sign-out is in progress")
        }
    }
}

extension SignIn {
    fileprivate var method: SignInMethod {
        let label = email.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0.trimmingCharacters(in: .whitespaces) }
        return if let token { .accessToken(Secret(token), label: label) } else if let refreshToken {
            .refreshToken(Secret(refreshToken), label: label)
        } else {
            .password(email: email ?? "", Secret(password ?? ""))
        }
    }

    /// The attempted name in printable form, for the log; nil if none was given, or if it may be a password in the wrong place.
    fileprivate var attempted: String? {
        let name = String(
            String.UnicodeScalarView((email ?? "").unicodeScalars.filter { $0.properties.generalCategory.isPrintable }.prefix(254)))
        return name.isEmpty || (password != nil && !name.contains("@")) ? nil : name
    }
}

extension Unicode.GeneralCategory {
    /// True without control characters and line separators, which could forge a log line.
    fileprivate var isPrintable: Bool {
        ![.control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse].contains(self)
    }
}
