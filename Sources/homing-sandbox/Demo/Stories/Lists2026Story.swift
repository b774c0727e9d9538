import Sandbox

/// The same list four months later: each refresh token works once, and a second use revokes its family.
struct Lists2026Story: Story {
    let backend = SandboxBackend.lists2026()
    let profile = "lists-2026"
    let route = "create_list"

    private static let path = ListsStory.path
    private static let refresh = "/api/v1/auth/refresh"

    func tell(_ day: Day) async throws -> Bool {
        try await ListsStory.toTheDepot(day)

        day.say("On the way home the network returns. The token’s hour ends in the middle of the deliveries.")
        try await day.homecoming(slowing: Self.path, endingSessionAmong: day.changes.count)
        let refreshes = day.ledger.requestCount("POST", path: Self.refresh, status: 200)
        try day.expect("one refresh and one sign-in were enough", refreshes == 1 && day.ledger.logInCount == 1)
        day.say("The daemon renewed the session automatically and continued. An hour later the token expires again.")

        try await loseTheRefresh(day)
        day.say("The manager checks the status and is asked to sign in again.")
        try day.signInAgain()
        return try ListsStory.close(day)
    }

    /// The network returns after the grace for reusing the token.
    private func loseTheRefresh(_ day: Day) async throws {
        await day.loseAnAnswer(of: Self.refresh)
        await day.sandbox.apply(Fault(.cut, path: Self.refresh))
        day.sandbox.expireSessions()
        try await day.until("the refresh was lost") { day.ledger.requests.count { $0.path == Self.refresh && $0.fault != nil } >= 2 }
        await day.sandbox.down()
        day.sandbox.clearFaults()
        day.say("This time the lorry is just entering a tunnel. Lists has replaced the refresh token, but its answer is lost.")
        try await day.noticedOutage()
        day.sandbox.clock.advance(by: .seconds(60))
        try await day.homecoming(slowing: Self.path)
        try await day.until("the daemon asks for a sign-in") { try day.station.homing("status", "--json").contains("\"signInRequired\"") }
        try day.expect("the status says why", try day.station.homing("status").contains("refresh answer lost"))
        day.say(
            "A minute later the network is back. The old refresh token no longer works, and the new one never reached the station. Only a new sign-in helps."
        )
    }
}
