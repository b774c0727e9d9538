import Backends
import Foundation
import Logging
import Outbox
import SyncModel
import Synchronization

/// Keeps one backend's session: performs what `SessionState` decides. Every change is durable before anyone learns of it.
package actor SessionKeeper {
    package nonisolated let backend: Backend
    /// The newest 64 changes, for one listener.
    package nonisolated let changes: AsyncStream<SessionSnapshot>
    /// See `SessionState.foreignTo`.
    package nonisolated let foreignTo: String?

    let scheme: any Scheme
    let transport: any Transport
    let outbox: Outbox
    let clock: any SyncClock
    let log: Logger
    var state: SessionState
    /// The sign-in or sign-out in progress.
    var change: Change?
    /// The renewal in progress that no sign-out has cancelled.
    var renewal: Renewing?
    var csrf: (token: String, generation: Int)?
    /// The confirmation of the account in progress; its failure, or nil.
    var check: Task<Failure?, Never>?
    var laterCheck: Task<Void, Never>?
    private nonisolated let isStopping = Atomic(false)
    private nonisolated let isHurried = Atomic(false)
    private let tell: AsyncStream<SessionSnapshot>.Continuation

    typealias Renewing = Task<Result<Session, AuthenticationError>, Never>

    enum Change {
        /// `usesUpToken`: by a refresh token, which the server rotates.
        case signingIn(Task<Result<SessionSnapshot, AuthenticationError>, Never>, usesUpToken: Bool)
        case signingOut(Task<Result<SignOutOutcome, SignOutError>, Never>, allDevices: Bool)
        /// Signed out; requests being sent come to their end.
        case draining(Task<Void, Never>)
    }

    /// Restores the stored session, and completes an interrupted sign-out.
    ///
    /// - Parameter foreignTo: the address whose entries are still in the outbox, if it is not this backend's.
    package init(
        backend: Backend, foreignTo: String? = nil, outbox: Outbox, transport: any Transport, clock: any SyncClock, log: Logger
    ) throws(OutboxError) {
        self.backend = backend
        self.foreignTo = foreignTo
        self.outbox = outbox
        self.transport = transport
        self.clock = clock
        self.log = log
        scheme =
            switch backend.profile.auth.scheme {
            case .cookie: CookieScheme(backend: backend, clock: clock)
            case .bearer: BearerScheme(backend: backend, clock: clock)
            }
        (changes, tell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
        let stored: SessionState.Stored =
            switch try outbox.session(of: backend.name) {
            case .none: .none
            case .unreadable: .unreadable
            // `try?`: a record that cannot be read is as good as a damaged one.
            case .record(let data):
                (try? JSONDecoder().decode(SessionRecord.self, from: data)).map(SessionState.Stored.record) ?? .unreadable
            }
        var state = SessionState(stored, backend: backend, foreignTo: foreignTo, now: clock.now)
        // The server is not told: some of the credentials may have been used up.
        if let transition = state.signOutEnds(at: clock.now) {
            // `try?`: on a full disk the session stays `signingOut`, and the next chance completes it.
            if (try? outbox.apply(transition.change(of: backend), at: clock.now)) != nil {
                _ = state.become(transition.record, isStored: true, at: clock.now)
                transition.log(to: log)
            } else {
                state.forgetCredentials()
            }
        }
        self.state = state
    }

    deinit { tell.finish() }

    package var snapshot: SessionSnapshot { state.snapshot }

    /// The session of the signed-in account. Renewed credentials that could not be stored are stored first.
    package func session() throws(AuthenticationError) -> Session {
        if state.isUnstored { try store(SessionTransition(state.record)) }
        return try state.session()
    }

    /// True if the id of an entry's account names its server.
    package static func namesItsServer(_ account: AccountID) -> Bool { account.rawValue.contains("@http") }

    /// No change of credentials begins from now on; one in progress goes on.
    package nonisolated func stop() { isStopping.store(true, ordering: .sequentiallyConsistent) }

    /// Throws once the daemon is stopping.
    func checkRunning() throws(AuthenticationError) {
        guard isStopping.load(ordering: .sequentiallyConsistent) else { return }
        throw .unavailable(Failure(.stopping, "The session was not renewed: the daemon is stopping."))
    }

    /// A person or the network wants a renewal now: ends a pause that no server asked for.
    package nonisolated func hurry() { isHurried.store(true, ordering: .sequentiallyConsistent) }

    /// Until when renewals are paused, and why; nil if they are not.
    var pause: (until: Date, failure: Failure)? {
        if isHurried.exchange(false, ordering: .sequentiallyConsistent) { state.backoff.hurry() }
        return state.backoff.running(at: clock.now)
    }

    // MARK: Storing

    /// Durable first, then true, then reported. Returns the number of entries discarded.
    @discardableResult
    func perform(_ transition: SessionTransition) throws(OutboxError) -> Int {
        do throws(OutboxError) {
            let discarded = try outbox.apply(transition.change(of: backend), at: clock.now)
            become(transition.record, isStored: true)
            transition.log(to: log)
            return discarded
        } catch {
            switch transition.ifUnstored {
            case .refuse: break
            case .hold: state.hold(transition.record)
            case .become:
                become(transition.record, isStored: false)
                transition.log(to: log)
            }
            throw error
        }
    }

    private func become(_ next: SessionRecord, isStored: Bool) {
        if state.become(next, isStored: isStored, at: clock.now) { tell.yield(state.snapshot) }
    }

    func store(_ transition: SessionTransition) throws(AuthenticationError) {
        do { try perform(transition) } catch { throw .unsaved(error) }
    }

    /// Stores what answers have changed.
    package func flush() {
        // `try?`: the record is in memory, and the next change tries again.
        if state.record.ending != nil, change == nil { _ = try? completeSignOut() }
        if state.isDirty { _ = try? perform(SessionTransition(state.record)) }
    }

    func storeSoon() { if state.isStoreDue(at: clock.now) { flush() } }
}

extension SessionTransition {
    func change(of backend: Backend) -> SessionChange {
        let encoded: Data
        do { encoded = try JSONEncoder().encode(record) } catch { preconditionFailure("a session record always encodes: \(error)") }
        return SessionChange(backend: backend.name, record: encoded, event: event, label: label, discards: discards)
    }

    func log(to log: Logger) {
        guard let event, let text else { return }
        var metadata: Logger.Metadata = ["backend": "\(event.backend ?? "")"]
        if let account = event.account { metadata["account"] = "\(account)" }
        if let requester = requester ?? (event.kind == .signInRequired ? nil : .daemon) {
            metadata.merge(["uid": "\(requester.uid)", "pid": "\(requester.pid)"]) { _, new in new }
        }
        for key in ["server", "reason"] {
            if let value = event.detail[key] { metadata[key] = "\(value)" }
        }
        if event.kind == .signInRequired, let email = event.detail["email"] { metadata["email"] = "\(email)" }
        log.log(level: event.kind == .signInRequired ? .warning : .notice, "\(text)", metadata: metadata)
    }

    private var text: String? {
        switch event?.kind {
        case .signedIn: event?.detail["way"] == nil ? "Signed in" : "Signed in with the kept password"
        case .signedOut: "Signed out"
        case .signOutFailed: "A sign-out failed"
        case .signInRequired: "A person must sign in again"
        default: nil
        }
    }
}
