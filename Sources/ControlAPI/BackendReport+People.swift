extension BackendReport {
    /// Entries that wait for people who are not signed in, or for another address than the backend's.
    package var waitingForOthers: Int { otherAccounts.map(\.waiting).reduce(0, +) + (waitingForFormerAddress ?? 0) }

    /// Entries that wait, and go up once their people are signed in.
    package var waitingForPeople: Int { queue.waiting - (waitingForFormerAddress ?? 0) }

    /// The one person who has to sign in before anything that waits here goes up; nil where that may be several, where nobody knows who, and
    /// where somebody is signed in.
    package var awaited: String? {
        if session.state == "signedIn" { return nil }
        if session.account != nil { return session.email }
        return otherAccounts.count == 1 ? otherAccounts[0].email : nil
    }
}
