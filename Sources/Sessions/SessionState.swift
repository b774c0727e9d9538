import Backends
import Foundation
import Outbox
import SyncModel

/// Every rule of one backend's session: pure, without clock, network or disk. `SessionKeeper` performs the transitions.
struct SessionState: Sendable {
    let backend: Backend
    /// The address whose entries the outbox still holds, if it is another one: the same id there is another account.
    let foreignTo: String?
    var record: SessionRecord
    /// Only in this run: the credentials of this generation were refused.
    private(set) var refusedGeneration: Int?
    /// The declared refusal of this generation's credentials, in the server's words.
    private(set) var declared: Declared?
    /// The account must be confirmed before the next send.
    private(set) var isCheckDue = true
    /// When the backend last answered a check in this run.
    private var askedAt: Date?
    /// How often the backend named the signed-in account in this run.
    private(set) var confirmations = 0
    var backoff = RenewalBackoff()
    var renewal: Renewal?
    /// The store has an older record.
    var isDirty = false
    /// True while renewed credentials are not stored; they must not be used before.
    private(set) var isUnstored = false
    /// An earlier refresh was sent, and its answer was not stored.
    var answerWasLost = false
    private(set) var savedAt: Date
    private var revision = 0
    /// The snapshot has changed since the last revision.
    private var isUnannounced = false

    struct Declared: Equatable, Sendable {
        let generation: Int
        let words: String
    }

    /// Seconds for which a confirmation of the account holds.
    static let longestUnchecked: TimeInterval = 60
    /// Seconds between stores of changes that come with nearly every answer.
    private static let storeInterval: TimeInterval = 60

    static let unreadable = "the stored session cannot be read"

    init(_ stored: StoredSession, backend: Backend, foreignTo: String?, now: Date) {
        (self.backend, self.foreignTo, savedAt) = (backend, foreignTo, now)
        record = SessionRecord(address: backend.address)
        if case .none = stored { return }
        // `try?`: a record that does not decode is a damaged one.
        guard case .record(let data) = stored, let saved = try? JSONDecoder().decode(SessionRecord.self, from: data) else {
            (record.state, record.reason) = (.signInRequired, Self.unreadable)
            return
        }
        record = saved
        guard ![.signedOut, .signingOut].contains(saved.state), !saved.isBound(to: backend.profile) else { return }
        // Not stored, so that the session is back once the profile has its old address.
        let isMoved = saved.address != backend.address
        let reason = isMoved ? "the backend's address changed" : "the profile now sends credentials to another address"
        record = saved.cleared(.signInRequired, address: backend.address, reason: reason)
        // The account is not known to be any account here.
        if !saved.namesAccount(of: backend.profile) { record.account = nil }
    }

    // MARK: Now

    var snapshot: SessionSnapshot {
        var snapshot = SessionSnapshot(backend: backend.name, state: record.state, account: account)
        (snapshot.since, snapshot.reason, snapshot.unverifiedSince) = (record.since, record.reason, record.unverifiedSince)
        snapshot.remembered = record.credentials.kept != nil
        if let since = record.failingSince, let failure = backoff.failure {
            snapshot.failing = SessionSnapshot.Failing(since: since, failure: failure)
        }
        snapshot.revision = revision
        return snapshot
    }

    func session() throws(SessionError) -> Session {
        switch record.state {
        case .signedIn:
            guard let account else { throw .signInRequired(reason: "signed out") }
            return Session(account: account, generation: record.generation)
        case .signedOut: throw .signInRequired(reason: record.reason ?? "signed out")
        case .signInRequired: throw .signInRequired(reason: record.reason ?? "the session has ended")
        case .signingOut: throw .signingOut
        }
    }

    /// The session's account as other components know it.
    var account: Account? { global(record.account) }

    /// The account whose rosters may be stored. Nil after the server answered as another account: a late read may belong to that one.
    func rosterAccount(of record: SessionRecord) -> AccountID? {
        record.unverifiedSince == nil ? global(record.account)?.id : nil
    }

    /// Ids are unique at one server only.
    private func global(_ account: Account?) -> Account? {
        guard foreignTo != nil, var account else { return account }
        account.id = AccountID(account.id.rawValue + "@" + backend.address)
        return account
    }

    /// True when the token must be renewed before it is used.
    func isStale(at now: Date) -> Bool { refreshable?.isStale(at: now, skew: backend.profile.auth.skew) ?? false }

    /// True until the token ends by the local clock.
    func stillHolds(at now: Date) -> Bool { record.credentials.tokens.map { !$0.hasEnded(at: now) } ?? false }

    /// The server has refused these credentials.
    var isRefused: Bool { refusedGeneration == record.generation }

    /// The tokens, if they can be renewed.
    var refreshable: Tokens? {
        guard backend.profile.auth.renewals.contains(.refresh), let tokens = record.credentials.tokens, tokens.refresh != nil else {
            return nil
        }
        return tokens
    }

    /// Renews an idle session so that the server keeps it; nil for never.
    func nextKeepalive(at now: Date) -> Date? {
        guard record.state == .signedIn, let keepalive = backend.profile.auth.keepalive, let received = refreshable?.receivedAt else {
            return nil
        }
        return received.unlessAhead(of: now)?.addingTimeInterval(keepalive) ?? now
    }

    func isStoreDue(at now: Date) -> Bool { isDirty && savedAt.hasAged(Self.storeInterval, at: now) }

    // MARK: Changes

    /// Applies the transition; true if the snapshot has a new revision. A held change gets its revision once it is stored.
    mutating func become(_ transition: SessionTransition, isStored: Bool, at now: Date) -> Bool {
        let before = snapshot
        record = transition.record
        isDirty = !isStored
        if isStored { savedAt = now }
        // Credentials that were held before stay so, unless they are deleted.
        isUnstored = !isStored && (transition.ifUnstored == .hold || isUnstored && record.credentials != Credentials())
        isUnannounced = isUnannounced || snapshot != before
        guard isUnannounced, isStored || transition.ifUnstored == .become else { return false }
        isUnannounced = false
        revision += 1
        return true
    }

    /// Notes a store; if it failed, the next try is a minute away.
    mutating func noteStoreTried(at now: Date) { savedAt = now }

    /// Throws if this sign-in must not begin.
    func admit(_ method: SignInMethod) throws(SignInError) {
        switch record.state {
        case .signedIn:
            if let account = record.account, method.label?.isSameEmail(as: account.label) != true { throw .conflict(account) }
        case .signingOut: throw .signingOut
        case .signedOut, .signInRequired: break
        }
    }

    /// The method to use: an earlier try may have exchanged the token already.
    func resumed(_ method: SignInMethod) -> SignInMethod {
        guard case .refreshToken(_, let label) = method, let exchanged = record.exchanged, exchanged.given == method.digest,
            credentialOrigins.isSubset(of: exchanged.origins)
        else { return method }
        return .refreshToken(exchanged.refresh, label: label)
    }

    /// The submitted token is used up. In memory first, so that a further try works on a full disk too.
    mutating func exchanged(_ given: String, for refresh: Secret) -> SessionTransition {
        record.exchanged = SessionRecord.Exchanged(given: given, refresh: refresh, origins: credentialOrigins)
        isDirty = true
        return SessionTransition(record)
    }

    private var credentialOrigins: Set<String> { Set(backend.profile.credentialOrigins.map(\.description)) }

    /// Completes a sign-in. `known` are the backend's accounts in the store. An account keeps its name, and a token's name must not be
    /// another's.
    func completeSignIn(
        _ signIn: AcceptedSignIn, by requester: Requester?, known: [Account], at now: Date
    ) throws(SignInError) -> SessionTransition {
        var account = signIn.account
        // The person who submits a token chooses its label, so labels prove nothing.
        if record.state == .signedIn, let current = record.account, current.id != account.id { throw .conflict(current) }
        account.label = try label(for: account, by: signIn.method, among: known)
        var next = SessionRecord(address: backend.address)
        (next.state, next.account, next.since, next.checkedAt) = (.signedIn, account, now, now)
        (next.origins, next.generation, next.credentials) = (credentialOrigins, record.generation + 1, signIn.credentials)
        if signIn.keepsPassword, case .password(let email, let password) = signIn.method {
            next.credentials.kept = Credentials.KeptLogin(email: email, password: password)
        }
        next.renewedByLoginAt = record.renewedByLoginAt
        var transition = self.transition(toSignedIn: next, by: requester, at: now)
        transition.signsIn = account.id
        return transition
    }

    func transition(
        toSignedIn next: SessionRecord, by requester: Requester?, ifUnstored: SessionTransition.IfUnstored = .refuse, at now: Date
    ) -> SessionTransition {
        let account = global(next.account)
        let way = requester == nil ? "kept password" : nil
        let signedIn = event(.signedIn, of: account, by: requester ?? .daemon, ["way": way], at: now)
        return SessionTransition(next, signedIn, by: requester, label: account, ifUnstored: ifUnstored)
    }

    /// - Parameter detail: further details, without those that are nil.
    private func event(
        _ kind: SyncEvent.Kind, of account: Account?, by requester: Requester? = nil, _ detail: [String: String?], at now: Date
    ) -> SyncEvent {
        var detail = detail.compactMapValues(\.self)
        detail["by"] = requester?.description
        detail["email"] = account?.label
        return SyncEvent(at: now, kind, backend: backend.name, account: account?.id, detail: detail)
    }

    private func label(for account: Account, by method: SignInMethod, among known: [Account]) throws(SignInError) -> String {
        if case .password = method { return account.label }
        let (id, known) = (global(account)?.id, [self.account].compactMap(\.self) + known)
        let label = known.first { $0.id == id }?.label
        guard let claimed = method.label else { return label ?? account.label }
        if known.contains(where: { $0.id != id && isHere($0.id) && $0.label.isSameEmail(as: claimed) }) { throw .labelTaken(claimed) }
        // Receipts use the account's earlier name, unless that is only its id.
        if let label, label != account.id.rawValue || label.isSameEmail(as: claimed) { return label }
        return claimed
    }

    /// True if the account is at this server: at another one, the same person has another id.
    private func isHere(_ id: AccountID) -> Bool {
        foreignTo == nil ? !id.namesItsServer : id.rawValue.hasSuffix("@" + backend.address)
    }

    /// The durable beginning of a sign-out.
    func signOutBegins(_ request: SignOutRequest, at now: Date) -> SessionTransition {
        var next = record
        next.ending = SessionRecord.SignOutMarker(
            before: record.ending?.before ?? record.state, account: account, requester: request.requester,
            discardsEntries: request.mayDiscard && backend.outboxOnSignOut == .drop, keepsData: request.keepData,
            begunAt: now)
        next.state = .signingOut
        next.generation += 1
        return SessionTransition(next)
    }

    /// Ends a sign-out. If that cannot be stored, the session stays `signingOut` without credentials, and the next chance ends it.
    func signOutEnds(at now: Date) -> SessionTransition? {
        guard let ending = record.ending else { return nil }
        let reason = ending.server == .unknown ? "the sign-out was interrupted and completed at the next start" : nil
        let detail: [String: String?] = [
            "server": ending.server.rawValue, "discarded": ending.discarded.map(String.init), "data": ending.keepsData ? "kept" : nil,
            "owedUntil": ending.owed?.until.formatted(.iso8601),
        ]
        var transition = SessionTransition(
            record.cleared(.signedOut, address: backend.address, reason: reason),
            event(.signedOut, of: ending.account, by: ending.requester, detail, at: now), by: ending.requester)
        if ending.keepsData { transition.rosters = .kept }
        transition.owes = ending.owed
        return transition
    }

    /// Takes the session's credentials for the call to repeat, if the profile says so.
    mutating func owe() {
        guard backend.profile.auth.logout.retriesOwed, let ending = record.ending, ending.server.isUnheard, ending.owed == nil,
            let account = record.account, let shown = ending.account
        else { return }
        let credentials = Credentials(cookies: record.credentials.cookies, tokens: record.credentials.tokens)
        if credentials == Credentials() { return }
        record.ending?.owed = OwedSignOut(
            account: account, shown: shown, until: ending.begunAt.addingTimeInterval(OwedSignOut.longest), address: record.address,
            origins: record.origins, credentials: credentials, refreshWasLost: record.awaitsRefresh)
    }

    /// The account whose entries a sign-out discards first.
    var discards: Account? { record.ending.flatMap { $0.discardsEntries ? $0.account : nil } }

    /// So many more entries were discarded for the sign-out in progress.
    mutating func noteDiscarded(_ count: Int) {
        let before = record.ending?.discarded ?? 0
        record.ending?.discarded = before + count
    }

    mutating func serverTold(_ server: SignOutOutcome.Server) {
        record.ending?.server = server.answer
        owe()
        forgetCredentials()
    }

    /// Forgets the credentials even if that cannot be stored.
    mutating func forgetCredentials() {
        record.credentials = Credentials()
        (record.awaitsRefresh, isUnstored, isDirty) = (false, false, true)
    }

    /// The server could not be told, and the profile then keeps the session.
    func signOutFails(because reason: String, at now: Date) -> SessionTransition {
        var transition = signOutFailed(account, because: reason, by: record.ending?.requester, at: now)
        transition.record.state = record.ending?.before ?? .signedIn
        transition.record.ending = nil
        return transition
    }

    /// Records a failed sign-out of `account`, and changes nothing else.
    func signOutFailed(_ account: Account?, because reason: String, by requester: Requester?, at now: Date) -> SessionTransition {
        let failed = event(.signOutFailed, of: account, by: requester, ["reason": reason], at: now)
        return SessionTransition(record, failed, by: requester, ifUnstored: .become)
    }

    /// Ends the session, so that only a person can go on. Nil during a sign-out. With `isForeign`, the backend named another account, so
    /// deliveries since the last check may be there.
    func requireSignIn(_ reason: String, isForeign: Bool = false, at now: Date) -> SessionTransition? {
        guard record.state == .signedIn else { return nil }
        var next = record.cleared(.signInRequired, address: record.address, reason: reason)
        if isForeign { next.unverifiedSince = record.checkedAt ?? record.since ?? now }
        var transition = SessionTransition(next, event(.signInRequired, of: account, ["reason": reason], at: now), ifUnstored: .become)
        if isForeign { transition.rosters = .dropped }
        return transition
    }

    static let otherAccount =
        "the server answered as another account, so nothing more was sent; receipts since the last check are marked as unverified"

    /// The server has just named the account.
    mutating func noteSignIn() {
        isCheckDue = false
        backoff.end()
    }

    /// Ends a pause of renewals that no server asked for.
    mutating func hurry() { backoff.hurry() }

    // MARK: Refusals

    /// Notes a refusal of this generation; ignores older ones.
    mutating func markRefused(generation: Int) { if generation == record.generation { refusedGeneration = generation } }

    /// The credentials may be tried again.
    mutating func forgetRefusal() { refusedGeneration = nil }

    /// The backend has accepted credentials of `generation`, so an undeclared refusal came from elsewhere.
    mutating func forgetUndeclaredRefusal(of generation: Int) { if declared?.generation != generation { forgetRefusal() } }

    // MARK: Checks

    /// The account must be confirmed before the next request.
    mutating func requireCheck() { isCheckDue = true }

    /// Begins a check. Call before it is sent. Later changes need a confirmation of their own.
    mutating func beginCheck() { isCheckDue = false }

    /// The check had no answer, so the next request repeats it.
    mutating func checkFailed() { isCheckDue = true }

    /// An answer that renewed the session has named the account.
    mutating func noteChecked(at now: Date) { (isCheckDue, record.checkedAt) = (false, now) }

    // MARK: Answers

    /// True if the account must be confirmed before the next request.
    func isCheckNeeded(at now: Date) -> Bool {
        record.state == .signedIn && isCheckOverdue(at: now) && backend.health.map(backend.isOwn) == true
    }

    private func isCheckOverdue(at now: Date) -> Bool {
        guard !isCheckDue, let last = [askedAt, record.checkedAt].compactMap(\.self).max() else { return true }
        return last.hasAged(Self.longestUnchecked, at: now)
    }

    /// Notes the account that the backend named, nil for signed out; false if it is another one.
    mutating func confirm(_ account: AccountID?, generation: Int, at now: Date) -> Bool {
        guard generation == record.generation, record.state == .signedIn else { return true }
        askedAt = now
        guard let account else { return true }
        guard account == record.account?.id else { return false }
        record.checkedAt = now
        confirmations += 1
        isDirty = true
        return true
    }

    /// Lets `change` update the credentials of this generation; true on a change.
    mutating func absorb(generation: Int, _ change: (inout Credentials) -> Bool) -> Bool {
        guard generation == record.generation, record.state == .signedIn, change(&record.credentials) else { return false }
        isDirty = true
        return true
    }

    /// An answer to a request with credentials of `generation`.
    mutating func answered(_ response: InboundResponse, generation: Int) {
        let errors = backend.profile.errors
        if errors.endsSession(response) {
            declared = Declared(generation: generation, words: errors.words(of: response) ?? "the session has ended")
        }
        if response.isSuccess, generation == record.generation, record.failingSince != nil, refreshable == nil, !isRefused {
            record.failingSince = nil
            backoff.end()
            isDirty = true
        }
    }
}
