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
    /// Of changes that became true and could not be stored: the next change stores them.
    private var unstored: (events: [SyncEvent], label: Account?) = ([], nil)
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

    /// Restores the stored session. Then call `completeSignOut`.
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
        if case .unreadable = stored { log.error("The stored session cannot be read", metadata: ["backend": "\(backend.name)"]) }
        // Some of the credentials of an interrupted sign-out may have been used up.
        if state.record.ending != nil { state.forgetCredentials() }
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
    package static func namesItsServer(_ account: AccountID) -> Bool {
        ["@http://", "@https://"].contains(where: account.rawValue.contains)
    }

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

    /// Durable first, then true, then reported.
    func perform(_ transition: SessionTransition) throws(OutboxError) {
        let (events, label) = (unstored.events + [transition.event].compactMap(\.self), transition.label ?? unstored.label)
        do throws(OutboxError) {
            try outbox.apply(
                SessionChange(backend: backend.name, record: transition.record.encoded, events: events, label: label))
            unstored = ([], nil)
            become(transition.record, isStored: true)
            transition.log(to: log)
        } catch {
            if transition.ifUnstored == .refuse { throw error }
            unstored = (events, label)
            become(transition.record, isStored: false)
            state.isUnstored = transition.ifUnstored == .hold
            transition.log(to: log)
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
        if state.isDirty { try? perform(SessionTransition(state.record)) }
    }

    func storeSoon() {
        guard state.isStoreDue(at: clock.now) else { return }
        // If it fails, the next try is a minute away.
        state.savedAt = clock.now
        flush()
    }
}

extension SessionRecord {
    fileprivate var encoded: Data {
        do { return try JSONEncoder().encode(self) } catch { preconditionFailure("a session record always encodes: \(error)") }
    }
}

extension SessionTransition {
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
