import Sandbox

extension Day {
    func signIn(_ options: String...) throws {
        try show(["login", "--email", "manager@lab.test"] + options + ["--password-stdin"], input: BreatheSafeConfiguration.labPassword)
    }

    /// Takes the network down, submits changes, and shows the status.
    func outage(_ words: String, _ handIn: () throws -> Void) async throws {
        await sandbox.down()
        say(words)
        try handIn()
        try await until("all changes are accepted") { try books.rows.count == changes.count }
        try await noticedOutage()
        say("Everything is safe in the outbox, on disk. What has been delivered?")
        try show("status")
    }

    /// Delivers the rest after a second sign-in, for stories in which the session cannot be renewed.
    func signInAgain() throws {
        try show("status")
        try signIn()
        try show("sync", "--wait", "--timeout", "60")
        try expect("it took two sign-ins", ledger.logInCount == 2)
        say("The rest was delivered automatically, after the earlier ones.")
        try showArrivals()
    }

    func noticedOutage() async throws {
        try await until("the daemon has noticed the outage") { try station.homing("status", "--json").contains("\"gate\":\"cooling\"") }
    }

    /// Restores the network and slows these requests, so that the story can interrupt them.
    func homecoming(slowing path: String) async throws {
        await sandbox.apply(.slow(milliseconds: 150, path: path))
        try await sandbox.up()
        try station.homing("sync")
    }

    /// Restores the network, ends the session after a third of the deliveries, and returns after two thirds.
    func homecoming(slowing path: String, endingSessionAmong total: Int, rememberTokens: Bool = false) async throws {
        try await homecoming(slowing: path)
        try await until("a third has arrived") { ledger.entries.count >= total / 3 }
        sandbox.expireSessions(rememberTokens: rememberTokens)
        try await until("two thirds have arrived") { ledger.entries.count >= total * 2 / 3 }
    }

    /// Loses the response to the next request to `path`, after it took effect.
    func loseAnAnswer(of path: String, thenSlowing slow: String? = nil) async {
        // The first matching fault applies, so the order matters.
        sandbox.clearFaults()
        await sandbox.apply(Fault(.commitThenCut, path: path, count: 1))
        if let slow { await sandbox.apply(.slow(milliseconds: 150, path: slow)) }
    }
}
