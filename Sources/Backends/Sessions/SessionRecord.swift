import Foundation
import SyncModel
import Vault

/// What is stored of a session.
struct SessionRecord: Hashable, Sendable, Codable {
    var state = SessionSnapshot.State.signedOut
    var account: Account?
    /// The backend's whole base URL at the sign-in: whose account it is.
    var address: String
    /// Every origin to which the profile sent credentials then; nil for that one alone.
    var origins: Set<String>?
    var since: Date?
    var reason: String?
    var generation = 0
    var credentials = Credentials()
    /// A refresh was sent and its answer has not been stored; nil for no.
    var awaitsRefresh: Bool?
    /// When a kept password was last sent, also where somebody has signed in by hand since: the server counts both.
    var renewedByLoginAt: Date?
    /// What a refresh token that somebody handed in was exchanged for, while no sign-in has come of it yet.
    var exchanged: Exchanged?

    struct Exchanged: Hashable, Sendable, Codable {
        /// A digest of the token that was handed in.
        let given: String
        /// The one by which to go on.
        let refresh: Secret
        /// Every origin to which the profile sent credentials then.
        let origins: Set<String>
    }
    /// The sign-out under way; with it the state is `signingOut`.
    var ending: SignOutMarker?
    /// What sign-outs have left to do; nil for nothing.
    var aftermaths: [SignOutAftermath]?
    /// Sign-ins of which nobody was told yet; nil for none.
    var untold: [SignInNotice]?

    /// When the backend last named the account of this session as the one that is signed in; nil for never.
    var checkedAt: Date?
    /// Since when deliveries may have gone to another account, as the backend then named one; nil for never.
    var unverifiedSince: Date?
    /// Since when every try to renew the session has failed; nil where the last one did not.
    var failingSince: Date?

    init(address: String) { self.address = address }

    /// The same history with nobody signed in.
    func cleared(_ state: SessionSnapshot.State, address: String, reason: String? = nil) -> SessionRecord {
        var record = SessionRecord(address: address)
        record.state = state
        record.generation = generation + 1
        record.reason = reason
        record.aftermaths = aftermaths
        record.untold = untold
        // What a sign-out forgets.
        if state == .signInRequired {
            (record.account, record.origins, record.exchanged) = (account, origins, exchanged)
            record.renewedByLoginAt = renewedByLoginAt
            record.unverifiedSince = unverifiedSince
        }
        return record
    }
}

/// The sealed file of one backend's session.
struct SessionFile: Sendable {
    private let file: DurableFile
    private let vault: Vault
    private let id: String
    /// Makes room on a full disk for what must be written; false where there is none to make.
    private let makeRoom: @Sendable () -> Bool

    init(directory: String, backend: String, vault: Vault, makeRoom: @escaping @Sendable () -> Bool = { false }) {
        self.makeRoom = makeRoom
        file = DurableFile(path: "\(directory)/\(backend)\(Self.suffix)")
        self.vault = vault
        id = "session/\(backend)"
    }

    /// The one of this name in `directory`; nil where the name is no session's.
    init?(name: String, in directory: String, vault: Vault) {
        guard name.hasSuffix(Self.suffix) else { return nil }
        self.init(directory: directory, backend: String(name.dropLast(Self.suffix.count)), vault: vault)
    }

    private static let suffix = ".session"

    /// Whether it is there and was sealed with the vault's key. Reads only.
    var opens: Bool {
        // `try?`: whether it can be read and opened is the question.
        guard let sealed = try? file.read() else { return false }
        return (try? vault.open(sealed, as: id)) != nil
    }

    enum Content {
        case none
        case record(SessionRecord)
        /// It could not be read, and lies at this path now.
        case damaged(movedTo: String)
    }

    /// Reads the record. A file that is damaged, or that the disk does not give, is put aside, so that nothing of it is lost and work goes on.
    func load(now: Date) throws(VaultError) -> Content {
        guard let sealed = try file.readOrNothing() else { return .none }
        // `try?`: whether the seal or the content is damaged, the file is put aside.
        if let plain = try? vault.open(sealed, as: id), let record = try? JSONDecoder().decode(SessionRecord.self, from: plain) {
            return .record(record)
        }
        return .damaged(movedTo: try file.putAside(suffix: ".damaged-\(Int(now.timeIntervalSince1970))"))
    }

    /// Removes the record durably.
    func remove() throws(VaultError) { try file.remove() }

    /// Stores the record durably, on a full disk from the space that is kept for it.
    func save(_ record: SessionRecord) throws(VaultError) {
        do {
            let sealed = try vault.seal(JSONEncoder().encode(record), as: id)
            do throws(VaultError) { try file.replace(with: sealed) } catch {
                guard error.code == .noRoom, makeRoom() else { throw error }
                try file.replace(with: sealed)
            }
        } catch let error as VaultError {
            throw error
        } catch {
            preconditionFailure("a session record always encodes: \(error)")
        }
    }
}
