extension BackendReport {
    /// Entries of signed-out accounts or for a former backend address.
    package var waitingForOthers: Int { otherAccounts.map(\.waiting).reduce(0, +) + (waitingForFormerAddress ?? 0) }

    /// Entries sent once their accounts are signed in.
    package var waitingForPeople: Int { queue.waiting - (waitingForFormerAddress ?? 0) }

    /// The one account that must sign in before anything is sent; nil if signed in, unknown, or several.
    package var awaited: String? {
        if session.isSignedIn { return nil }
        if session.account != nil { return session.email }
        return otherAccounts.count == 1 ? otherAccounts[0].email : nil
    }
}
