/// The policy for files dropped while signed out.
package enum UnclaimedFiles: String, Sendable, CaseIterable {
    /// Operators claim them for the signed-in account; a sign-in and the status ask.
    case ask
    /// The next account to sign in takes them: for a single-user station.
    case next
    /// Only administrators claim them.
    case hold
}
