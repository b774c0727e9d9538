import Backends
import Foundation
import Logging
import Outbox
import SyncModel
import Synchronization

/// Keeps one backend's session as `SessionState` decides. Every change is durable before it is visible.
package actor SessionKeeper {
    package nonisolated let backend: Backend
    /// The newest 64 changes, for one listener.
    package nonisolated let changes: AsyncStream<SessionSnapshot>
    /// See `SessionState.foreignTo`.
    package nonisolated let foreignTo: String?
    /// Sent when an owed sign-out should be tried.
    package nonisolated let owedNews = Signal()

    let scheme: any Scheme
    let transport: any Transport
    let outbox: Outbox
    let clock: any SyncClock
    let log: Logger
    var state: SessionState
    /// The sign-in or sign-out in progress.
    var change: Change?
    /// The renewal in progress that no sign-out has cancelled.
    var renewal: RenewalTask?
    var owed: OwedSignOuts
    /// The round of owed sign-outs in progress.
    var owedRound: Task<Void, Never>?
    /// When the next round is due; nil for never.
    var nextOwedRound: Date?
    var csrf: (token: String, generation: Int)?
    /// The confirmation of the account in progress; its failure, or nil.
    var check: Task<Failure?, Never>?
    var laterCheck: Task<Void, Never>?
    /// Changes that could not be stored: the next change stores them.
    private var unstored: (events: [SyncEvent], label: Account?, rosters: RosterFate) = ([], nil, .follows)
    private nonisolated let isStopping = Atomic(false)
    private nonisolated let isHurried = Atomic(false)
    private nonisolated let isOwedHurried = Atomic(false)
    private let tell: AsyncStream<SessionSnapshot>.Continuation

    typealias RenewalTask = Task<Result<Session, SessionError>, Never>
    typealias SignOutTask = Task<Result<SignOutOutcome, SignOutError>, Never>

    enum Change {
        /// `usesUpToken`: by a refresh token, which the server rotates.
        case signingIn(Task<Result<SessionSnapshot, SignInError>, Never>, usesUpToken: Bool)
        case signingOut(SignOutTask, allDevices: Bool)
        /// Signed out; requests being sent come to their end.
        case draining(Task<Void, Never>)
    }

    /// Restores the stored session. Then call `completeSignOut`. `foreignTo` is another address whose entries are still in the outbox.
    package init(
        backend: Backend, foreignTo: String? = nil, outbox: Outbox, transport: any Transport, clock: any SyncClock, log: Logger
    ) throws(OutboxError) {
        (self.backend, self.foreignTo, self.outbox) = (backend, foreignTo, outbox)
        (self.transport, self.clock, self.log) = (transport, clock, log)
        scheme =
            switch backend.profile.auth.scheme {
            case .cookie: CookieScheme(backend: backend, clock: clock)
            case .bearer: BearerScheme(backend: backend, clock: clock)
            }
        (changes, tell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
        var state = SessionState(try outbox.session(of: backend.name), backend: backend, foreignTo: foreignTo, now: clock.now)
        if state.record.reason == SessionState.unreadable {
            log.error("The stored session cannot be read", metadata: ["backend": "\(backend.name)"])
        }
        // Some credentials of an interrupted sign-out may be used up, and the server may not have heard of it.
        if state.record.ending != nil {
            state.owe()
            state.forgetCredentials()
        }
        self.state = state
        let stored = try Self.loadOwedDiscardingUnreadable(at: backend, in: outbox, now: clock.now)
        owed = OwedSignOuts(stored, backend: backend, now: clock.now)
    }

    deinit { tell.finish() }

    package var snapshot: SessionSnapshot { state.snapshot }

    /// Stores renewed credentials first, if that failed before.
    package func session() throws(SessionError) -> Session {
        try storeHeld(or: SessionError.unsaved)
        return try state.session()
    }

    /// Begins no further change of credentials; one in progress goes on.
    package nonisolated func stop() { isStopping.store(true, ordering: .sequentiallyConsistent) }

    /// Set once the daemon is stopping.
    var stopping: Failure? {
        guard isStopping.load(ordering: .sequentiallyConsistent) else { return nil }
        return Failure(.stopping, "The session was not renewed: the daemon is stopping.")
    }

    /// Ends a pause that no server asked for, and repeats owed sign-outs: for a person or a new network.
    package nonisolated func hurry() {
        isHurried.store(true, ordering: .sequentiallyConsistent)
        isOwedHurried.store(true, ordering: .sequentiallyConsistent)
        owedNews.send()
    }

    /// True once after a `hurry`.
    func takeOwedHurry() -> Bool { isOwedHurried.exchange(false, ordering: .sequentiallyConsistent) }

    var pause: (until: Date, failure: Failure)? {
        if isHurried.exchange(false, ordering: .sequentiallyConsistent) { state.hurry() }
        return state.backoff.running(at: clock.now)
    }

    // MARK: Storing

    /// Stores the transition, then applies it, then announces it.
    func perform(_ transition: SessionTransition?) throws(OutboxError) {
        guard let transition else { return }
        let (events, label) = (unstored.events + [transition.event].compactMap(\.self), transition.label ?? unstored.label)
        let rosters = unstored.rosters == .dropped ? .dropped : transition.rosters
        let void = transition.signsIn.flatMap { owed.owed(of: $0) }
        let voided = void.map { OwedSignOutChange.ends($0.event(of: .signedIn, at: backend.name, now: clock.now)) }
        let change = SessionChange(
            backend: backend.name, record: transition.record.encoded, events: events, label: label,
            account: state.rosterAccount(of: transition.record), rosters: rosters,
            owedSignOut: transition.owes.map { OwedSignOutChange.begins($0.stored) } ?? voided)
        let result = Result { () throws(OutboxError) in try outbox.apply(change) }
        let isStored = if case .success = result { true } else { false }
        if isStored, let void { owed.forget(void) }
        if isStored, let new = transition.owes {
            owed.add(new, at: clock.now)
            owedNews.send()
        }
        if isStored || transition.ifUnstored != .refuse {
            unstored = isStored ? ([], nil, .follows) : (events, label, rosters)
            if state.become(transition, isStored: isStored, at: clock.now) { tell.yield(state.snapshot) }
            transition.log(to: log)
        }
        try result.get()
    }

    func store<E: Error>(_ transition: SessionTransition?, or error: (OutboxError) -> E) throws(E) {
        do throws(OutboxError) { try perform(transition) } catch let reason { throw error(reason) }
    }

    /// Renewed credentials are not used before they are stored.
    func storeHeld<E: Error>(or error: (OutboxError) -> E) throws(E) {
        if state.isUnstored { try store(SessionTransition(state.record), or: error) }
    }

    /// Stores what answers have changed.
    package func flush() {
        // `try?`: the record is in memory, and the next change tries again.
        if state.isDirty { try? perform(SessionTransition(state.record)) }
    }

    func storeSoon() {
        guard state.isStoreDue(at: clock.now) else { return }
        state.noteStoreTried(at: clock.now)
        flush()
    }
}

extension Task where Failure == Never {
    /// The task's value; nil as soon as the caller is cancelled. The task itself goes on.
    func joined() async -> Success? {
        let (values, continuation) = AsyncStream.makeStream(of: Success.self)
        // Unstructured: a child would keep a cancelled parent waiting. It ends with the value.
        Task<Void, Never> {
            continuation.yield(await value)
            continuation.finish()
        }
        return await values.first { _ in true }
    }

    /// The task's result; throws `error` as soon as the caller is cancelled.
    func joined<Value: Sendable, E: Error>(or error: E) async throws(E) -> Value where Success == Result<Value, E> {
        guard let result = await joined() else { throw error }
        return try result.get()
    }
}

extension Failure {
    /// The caller was cancelled; the work goes on.
    static let cancelled = Failure(.stopping, "The request was cancelled before the backend answered.")
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
