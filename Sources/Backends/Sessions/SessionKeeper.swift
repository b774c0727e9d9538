import Foundation
import SyncModel
import Synchronization
import Vault

/// Keeps one backend's session: who is signed in, and with what. Every state is durable before anybody is told of it.
package actor SessionKeeper {
    package nonisolated let backend: Backend
    /// Every change of state, the newest 64 of them. For one listener.
    package nonisolated let changes: AsyncStream<SessionSnapshot>

    let scheme: any Scheme
    let transport: any Transport
    let clock: any SyncClock
    var record: SessionRecord
    /// Whoever comes or goes; only one at a time.
    var change: Change?
    /// The renewal under way that nobody has called off; also during a sign-out.
    var renewal: Renewing?
    var csrf: (token: String, generation: Int)?
    /// The credentials of this generation were called unauthorised.
    var refusedGeneration: Int?
    /// An answer to credentials of this generation refused them, in these words, and the profile declares it to mean that.
    var declared: (generation: Int, words: String)?
    /// The check under way of whom the backend takes us for; its failure, or nil where it could be done.
    var check: Task<Failure?, Never>?
    /// The scheduled check, once an entry's answer has changed the credentials.
    var laterCheck: Task<Void, Never>?
    /// Something other than an entry's answer has changed the credentials since the last check, or there was none in this run.
    var isCheckDue = true
    /// Whom to tell of sign-ins; nil until somebody wants to know.
    var teller: SignInTeller?
    /// Until when renewals rest.
    nonisolated let rest = Mutex(RenewalRest())
    /// Renewed credentials are in `record`, and not yet in the file.
    private(set) var isUnstored = false
    private nonisolated let isStopping = Mutex(false)

    /// The address, where the outbox still holds what belongs to another one: an account there is not the account with the same id here.
    package nonisolated let foreignTo: String?

    private let file: SessionFile
    private let tell: AsyncStream<SessionSnapshot>.Continuation
    /// The newest record is in memory alone.
    private(set) var isDirty = false
    private var revision = 0
    private var savedAt: Date

    typealias Renewing = Task<Result<Session, AuthenticationError>, Never>

    enum Change {
        /// `usesUpToken`: by a refresh token, which the server turns over.
        case signingIn(Task<Result<SessionSnapshot, AuthenticationError>, Never>, usesUpToken: Bool)
        case signingOut(Task<Result<SignOutOutcome, SignOutError>, Never>, allDevices: Bool)
        /// Nobody is signed in any more, and what was being sent comes to its end.
        case draining(Task<Void, Never>)
    }

    /// Reads the sealed file in `directory`, which is made where it is missing, and finishes a sign-out that was interrupted.
    ///
    /// - Parameters:
    ///   - foreignTo: the address whose entries wait in the outbox, where it is not this backend's.
    ///   - makeRoom: makes room on a full disk for a session that must be stored; false where there is none to make.
    package init(
        backend: Backend, foreignTo: String? = nil, directory: String, vault: Vault, transport: any Transport, clock: any SyncClock,
        makeRoom: @escaping @Sendable () -> Bool = { false }
    ) throws(VaultError) {
        self.backend = backend
        self.foreignTo = foreignTo
        self.transport = transport
        self.clock = clock
        scheme =
            switch backend.profile.auth.scheme {
            case .cookie: CookieScheme(backend: backend, clock: clock)
            case .bearer: BearerScheme(backend: backend, clock: clock)
            }
        (changes, tell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
        try DurableFile.makeFolder(directory)
        let file = SessionFile(directory: directory, backend: backend.name, vault: vault, makeRoom: makeRoom)
        self.file = file
        savedAt = clock.now
        record = try Self.restored(from: file, backend: backend, now: clock.now)
    }

    deinit { tell.finish() }

    private static func restored(from file: SessionFile, backend: Backend, now: Date) throws(VaultError) -> SessionRecord {
        let address = backend.address
        switch try file.load(now: now) {
        case .none: return SessionRecord(address: address)
        case .damaged(let path):
            var record = SessionRecord(address: address)
            record.state = .signInRequired
            record.reason = "the stored session cannot be read; it was put aside as \(path)"
            return record
        case .record(let record) where record.state == .signingOut:
            // The server is not told: what is left of the credentials may have been used already.
            var cleared = record.cleared(.signedOut, address: address, reason: "the sign-out was finished at the next start")
            if let ending = record.ending { cleared.aftermaths = (record.aftermaths ?? []) + [ending.aftermath] }
            do { try file.save(cleared) } catch { try file.remove() }  // Removing needs no room on the disk.
            return cleared
        case .record(let record) where record.state != .signedOut && !record.isBound(to: backend.profile):
            // Not stored: with the old address back, so is the session.
            let what = record.address == address ? "an address at which its people sign in" : "the backend's address"
            var cleared = record.cleared(.signInRequired, address: address, reason: "\(what) changed")
            // Whoever it was, they are not known to be anybody here.
            if !record.namesAccount(of: backend.profile) { cleared.account = nil }
            return cleared
        case .record(let record): return record
        }
    }

    package var snapshot: SessionSnapshot {
        SessionSnapshot(
            backend: backend.name, state: record.state, account: told(record.account), since: record.since,
            remembered: record.credentials.kept != nil, reason: record.reason, unverifiedSince: record.unverifiedSince,
            failing: record.failingSince.flatMap { since in
                rest.withLock(\.failure).map { SessionSnapshot.Failing(since: since, failure: $0) }
            },
            revision: revision)
    }

    /// The session of whoever is signed in. What was renewed and could not be stored is stored first.
    package func session() throws(AuthenticationError) -> Session {
        switch record.state {
        case .signedIn:
            if isUnstored { try store(record) }
            guard let account = told(record.account) else { throw .signInRequired(reason: "nobody is signed in") }
            return Session(account: account, generation: record.generation)
        case .signedOut: throw .signInRequired(reason: record.reason ?? "nobody is signed in")
        case .signInRequired: throw .signInRequired(reason: record.reason ?? "the session has ended")
        case .signingOut: throw .signingOut
        }
    }

    /// The account as the rest of the house knows it: ids are one server's own.
    func told(_ account: Account?) -> Account? {
        guard foreignTo != nil, var account else { return account }
        account.id = AccountID(account.id.rawValue + "@" + backend.address)
        return account
    }

    /// Whether `account`, the id of an entry's account, says of which server it is.
    package static func namesItsServer(_ account: AccountID) -> Bool { account.rawValue.contains("@http") }

    /// No change of credentials begins from now on; one under way goes on.
    package nonisolated func stop() { isStopping.withLock { $0 = true } }

    /// Throws once the keeper is to begin nothing more.
    func checkRunning() throws(AuthenticationError) {
        guard isStopping.withLock(\.self) else { return }
        throw .unavailable(Failure(.stopping, "The session was not renewed: the daemon is stopping."))
    }

    /// Stores what the answers since the last time renewed.
    package func flush() {
        guard isDirty else { return }
        savedAt = clock.now
        // `try?`: the newest cookies are in memory, and the next change tries again.
        if (try? file.save(record)) != nil { (isDirty, isUnstored) = (false, false) }
    }

    /// Makes `next` the record: durable first, then true, then told.
    func commit(_ next: SessionRecord) throws(VaultError) {
        try file.save(next)
        (isDirty, isUnstored) = (false, false)
        savedAt = clock.now
        become(next)
    }

    /// The same for a record with which nobody is to come back: where it cannot be written the file goes, which needs no room on the disk, and
    /// the next start finds nobody. What was to be done after the sign-out is then known in memory alone.
    func commitEnd(_ next: SessionRecord) throws(VaultError) {
        do {
            try commit(next)
        } catch {
            try file.remove()
            isDirty = true
            become(next)
        }
    }

    /// For what could neither be written nor removed: true here, and in the file at the next chance.
    func becomeUnsaved(_ next: SessionRecord) {
        isDirty = true
        become(next)
    }

    private func become(_ next: SessionRecord) {
        let before = snapshot
        record = next
        guard snapshot != before else { return }
        revision += 1
        tell.yield(snapshot)
    }

    /// Makes renewed credentials the record though the file could not take them: the server has forgotten the ones before, so this is their
    /// only copy. They are used once they are stored.
    func hold(unstored next: SessionRecord) {
        record = next
        (isDirty, isUnstored) = (true, true)
    }

    /// Takes over what an answer to credentials of `generation` renews; true where that changed anything.
    func absorb(_ response: InboundResponse, to request: OutboundRequest, generation: Int) -> Bool {
        guard record.generation == generation, record.state == .signedIn,
            scheme.absorb(response, to: request, into: &record.credentials)
        else { return false }
        storeSoon()
        return true
    }

    /// What has changed in the record with an answer, as it does with nearly every one, is stored at most once a minute.
    func storeSoon() {
        isDirty = true
        if abs(clock.now.timeIntervalSince(savedAt)) >= 60 { flush() }
    }
}
