import Foundation
import SyncModel
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
    /// The one change of credentials under way.
    var change: Change?
    var csrf: (token: String, generation: Int)?

    /// The origin, where the outbox still holds what belongs to another one: an account there is not the account with the same id here.
    package nonisolated let foreignTo: String?

    private let file: SessionFile
    private let tell: AsyncStream<SessionSnapshot>.Continuation
    private var isDirty = false
    private var revision = 0
    private var savedAt: Date

    enum Change {
        case replacing(Task<Result<Session, AuthenticationError>, Never>)
        case signingIn(Task<Result<SessionSnapshot, AuthenticationError>, Never>)
        case signingOut(Task<Result<SignOutOutcome, SignOutError>, Never>)
    }

    /// Reads the sealed file in `directory`, which is made where it is missing, and finishes a sign-out that was interrupted.
    ///
    /// - Parameter foreignTo: the origin whose entries wait in the outbox, where it is not this backend's.
    package init(
        backend: Backend, foreignTo: String? = nil, directory: String, vault: Vault, transport: any Transport, clock: any SyncClock
    ) throws(VaultError) {
        self.backend = backend
        self.foreignTo = foreignTo
        self.transport = transport
        self.clock = clock
        scheme =
            switch backend.profile.auth.scheme {
            case .cookie: CookieScheme(backend: backend)
            case .bearer: BearerScheme(backend: backend, clock: clock)
            }
        (changes, tell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
        _ = mkdir(directory, 0o700)  // Where that fails, the first write says why.
        let file = SessionFile(directory: directory, backend: backend.name, vault: vault)
        self.file = file
        savedAt = clock.now
        record = try Self.restored(from: file, backend: backend, now: clock.now)
    }

    deinit { tell.finish() }

    private static func restored(from file: SessionFile, backend: Backend, now: Date) throws(VaultError) -> SessionRecord {
        let origin = backend.profile.origin.description
        switch try file.load(now: now) {
        case .none: return SessionRecord(origin: origin)
        case .damaged(let path):
            var record = SessionRecord(origin: origin)
            record.state = .signInRequired
            record.reason = "the stored session cannot be read; it was put aside as \(path)"
            return record
        case .record(let record) where record.state == .signingOut:
            // The server is not told: what is left of the credentials may have been used already.
            let cleared = record.cleared(.signedOut, origin: origin, reason: "the sign-out was finished at the next start")
            try file.save(cleared)
            return cleared
        case .record(let record) where record.origin != origin && record.state == .signedIn:
            // Not stored: with the old address back, so is the session.
            var cleared = record.cleared(.signInRequired, origin: origin, reason: "the backend's address changed")
            // Whoever it was, they are not known to be anybody here.
            cleared.account = nil
            return cleared
        case .record(let record): return record
        }
    }

    package var snapshot: SessionSnapshot {
        SessionSnapshot(
            backend: backend.name, state: record.state, account: told(record.account), since: record.since,
            remembered: record.credentials.kept != nil, reason: record.reason, revision: revision)
    }

    /// The session of whoever is signed in.
    package func session() throws(AuthenticationError) -> Session {
        switch record.state {
        case .signedIn:
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
        account.id += "@" + backend.origin
        return account
    }

    /// Whether `account`, the id of an entry's account, says of which server it is.
    package static func namesItsServer(_ account: String) -> Bool { account.contains("@http") }

    /// Stores what the answers since the last time renewed.
    package func flush() {
        guard isDirty else { return }
        savedAt = clock.now
        // `try?`: the newest cookies are in memory, and the next change tries again.
        if (try? file.save(record)) != nil { isDirty = false }
    }

    /// Makes `next` the record: durable first, then true, then told.
    func commit(_ next: SessionRecord) throws(VaultError) {
        try file.save(next)
        let before = snapshot
        record = next
        isDirty = false
        savedAt = clock.now
        guard snapshot != before else { return }
        revision += 1
        tell.yield(snapshot)
    }

    /// Takes over what an answer to credentials of `generation` renews. They change with nearly every answer, so they are stored at most
    /// once a minute.
    func absorb(_ response: InboundResponse, generation: Int) {
        guard record.generation == generation, record.state == .signedIn, scheme.absorb(response, into: &record.credentials) else { return }
        isDirty = true
        if abs(clock.now.timeIntervalSince(savedAt)) >= 60 { flush() }
    }
}
