import SyncModel

/// Who asked for something: a user and a process of this machine, as the kernel knew them.
package struct Requester: Hashable, Sendable, Codable, CustomStringConvertible {
    package let uid: UInt32
    package let pid: Int32
    /// The user as people know them.
    package let name: String

    package init(uid: UInt32, pid: Int32, name: String) {
        self.uid = uid
        self.pid = pid
        self.name = name
    }

    package var description: String { "uid \(uid), pid \(pid)" }
}

/// What a sign-out leaves to do: to tell of it, and to drop what its profile wants dropped. In the session's file until it is done.
package struct SignOutAftermath: Hashable, Sendable, Codable {
    /// Who was signed in, or had to sign in again, as the rest of the house knows them.
    package let account: Account?
    /// Nil where nobody in particular asked.
    package let requester: Requester?
    /// Whether the account's entries are to be destroyed.
    package internal(set) var dropsEntries: Bool
    /// What the server said, by name: as `SignOutOutcome.Server.name`, or `unknown` where a crash came in between.
    package internal(set) var server = "unknown"
    /// Why the server could not be told, where the profile then wants the session kept; nil where they were signed out.
    package internal(set) var keptBecause: String?
}

/// The durable mark of a sign-out under way.
struct SignOutMarker: Hashable, Sendable, Codable {
    /// The state to go back to where the profile keeps the session.
    let before: SessionSnapshot.State
    let aftermath: SignOutAftermath
}

/// What the rest of the house has to do with a sign-out.
package struct SignOutErrands: Sendable {
    /// Throws where this account must not be signed out now. Asked before anything is changed.
    let admit: @Sendable (Account?) async throws(SignOutError) -> Void
    /// Does what is left; how many entries were destroyed, or nil where it has to be tried again at the next start. Doing it twice does
    /// no harm.
    let settle: @Sendable (SignOutAftermath) async -> Int?

    package init(
        admit: @escaping @Sendable (Account?) async throws(SignOutError) -> Void = { _ throws(SignOutError) in },
        settle: @escaping @Sendable (SignOutAftermath) async -> Int? = { _ in 0 }
    ) {
        self.admit = admit
        self.settle = settle
    }
}

extension SessionRecord {
    /// What is left to do once `account` is signed in: nothing of theirs is destroyed any more.
    func aftermaths(back account: Account?) -> [SignOutAftermath]? {
        aftermaths?.map { aftermath in
            var aftermath = aftermath
            if aftermath.account?.id == account?.id { aftermath.dropsEntries = false }
            return aftermath
        }
    }
}
