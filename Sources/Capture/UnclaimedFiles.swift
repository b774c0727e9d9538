/// What becomes of files that are dropped while no account is signed in. Nobody knows yet whose they are.
package enum UnclaimedFiles: String, Sendable, CaseIterable {
    /// They are set aside until somebody who may operate claims them for the signed-in account; a sign-in and the status ask about them.
    case ask
    /// The next account that signs in takes them: for a station that one person uses.
    case next
    /// They are set aside until an administrator claims them.
    case hold
}
