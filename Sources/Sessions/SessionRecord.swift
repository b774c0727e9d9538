import Backends
import Foundation
import Outbox
import SyncModel

/// The stored session of one backend.
struct SessionRecord: Hashable, Sendable, Codable {
    var state = SessionSnapshot.State.signedOut
    var account: Account?
    /// The backend's base URL at the sign-in, to which the account belongs.
    var address: String
    /// Every origin to which the profile sent credentials then.
    var origins: Set<String> = []
    var since: Date?
    var reason: String?
    var generation = 0
    var credentials = Credentials()
    /// A refresh was sent, and its answer has not been stored.
    var awaitsRefresh = false
    /// When a kept password was last sent; kept over a person's sign-in, because the server counts both.
    var renewedByLoginAt: Date?
    /// A submitted refresh token that was exchanged, kept until the sign-in completes.
    var exchanged: Exchanged?
    /// The sign-out in progress; with it the state is `signingOut`.
    var ending: SignOutMarker?
    /// When the backend last named the session's account.
    var checkedAt: Date?
    /// Since when deliveries may have gone to another account.
    var unverifiedSince: Date?
    /// Since when renewals have failed; nil if the last one succeeded.
    var failingSince: Date?

    init(address: String) { self.address = address }

    var encoded: Data {
        do { return try JSONEncoder().encode(self) } catch { preconditionFailure("a session record always encodes: \(error)") }
    }

    struct Exchanged: Hashable, Sendable, Codable {
        /// A digest of the token that was handed in.
        let given: String
        /// The token to go on with.
        let refresh: Secret
        /// Every origin to which the profile sent credentials then.
        let origins: Set<String>
    }

    struct SignOutMarker: Hashable, Sendable, Codable {
        /// The state to return to if the profile keeps the session.
        let before: SessionSnapshot.State
        /// The account under the id that other components use.
        let account: Account?
        /// Nil for the daemon itself.
        let requester: Requester?
        let discardsEntries: Bool
        let keepsData: Bool
        let begunAt: Date
        var server = ServerAnswer.unknown
        /// Entries discarded so far; nil if none are to be.
        var discarded: Int?
        /// The owed sign-out, if the profile repeats a call that did not reach the server.
        var owed: OwedSignOut?
    }

    /// The same history, signed out.
    func cleared(_ state: SessionSnapshot.State, address: String, reason: String? = nil) -> SessionRecord {
        var record = SessionRecord(address: address)
        record.state = state
        record.generation = generation + 1
        record.reason = reason
        // Only a sign-out forgets these.
        if state == .signInRequired {
            (record.account, record.origins, record.exchanged) = (account, origins, exchanged)
            record.renewedByLoginAt = renewedByLoginAt
            record.unverifiedSince = unverifiedSince
        }
        return record
    }

    /// True if `profile` has the address of the sign-in, and sends credentials only where they were sent then.
    func isBound(to profile: Profile) -> Bool {
        address == profile.address && profile.credentialOrigins.allSatisfy { wasSent(to: $0) }
    }

    /// True if `profile` is the same service, also at a former address, and signs in at the same place.
    func namesAccount(of profile: Profile) -> Bool {
        ([profile.address] + profile.formerAddresses).contains(address)
            && profile.credentialOrigins.allSatisfy { $0 == profile.origin || wasSent(to: $0) }
    }

    private func wasSent(to other: Origin) -> Bool { origins.contains(other.description) }
}

extension Profile {
    /// Every origin to which it sends credentials.
    var credentialOrigins: Set<Origin> {
        let requests = [auth.login?.request, auth.refresh?.request, auth.logout.request, health?.request]
        return Set([origin] + requests.compactMap { $0.flatMap { Origin($0.url.literalURL) } })
    }
}

/// A new record, and everything stored in the same transaction.
struct SessionTransition: Equatable, Sendable {
    var record: SessionRecord
    var event: SyncEvent?
    /// The requester of the change, for the journal.
    var requester: Requester?
    /// The account whose display name is stored.
    var label: Account?
    var rosters = RosterFate.follows
    /// The server still has to hear of this sign-out.
    var owes: OwedSignOut?
    /// The account of a person's sign-in: its owed sign-out is void.
    var signsIn: AccountID?
    var ifUnstored = IfUnstored.refuse

    enum IfUnstored: Sendable {
        /// Nothing changes.
        case refuse
        /// Use the record only once it is stored: the server has forgotten the earlier credentials.
        case hold
        /// It becomes the record; the next change stores it.
        case become
    }

    init(
        _ record: SessionRecord, _ event: SyncEvent? = nil, by requester: Requester? = nil, label: Account? = nil,
        ifUnstored: IfUnstored = .refuse
    ) {
        (self.record, self.event, self.requester) = (record, event, requester)
        (self.label, self.ifUnstored) = (label, ifUnstored)
    }
}
