import Sandbox

extension Day {
    /// The manager of the lab signs in with the password.
    func signIn(_ options: String...) throws {
        try show(
            ["login", "--email", "manager@lab.test"] + options + ["--password-stdin"], input: BreatheSafeConfiguration.labPassword)
    }

    /// The network goes, something is handed in all the same, and the manager asks what became of it.
    func outage(_ words: String, _ handIn: () throws -> Void) async throws {
        await sandbox.down()
        say(words)
        try handIn()
        try await until("everything is taken in") { try books.rows.count == changes.count }
        try await noticedOutage()
        say("All of it is safe in the outbox, on disk. Has my work gone up?")
        try show("status")
    }

    /// Only a person can go on: the manager looks, signs in for the second time, and what waited goes up.
    func signInAgain() throws {
        try show("status")
        try signIn()
        try show("sync", "--wait", "--timeout", "60")
        try expect("it took two sign-ins", ledger.logInCount == 2)
        say("The rest went up by itself, behind what was there already.")
        try showArrivals()
    }

    func noticedOutage() async throws {
        try await until("the daemon has noticed the outage") { try station.homing("status", "--json").contains("\"gate\":\"cooling\"") }
    }

    /// The network returns, and each of these requests takes a while, so that something can happen in the middle.
    func homecoming(slowing path: String) async throws {
        await sandbox.apply(.slow(milliseconds: 150, path: path))
        try await sandbox.up()
        try station.homing("sync")
    }

    /// The next request to `path` takes effect, and its answer is lost on the way back.
    func loseAnAnswer(of path: String, thenSlowing slow: String? = nil) async {
        // The first fault that fits a request is the one it meets.
        sandbox.clearFaults()
        await sandbox.apply(Fault(.commitThenCut, path: path, count: 1))
        if let slow { await sandbox.apply(.slow(milliseconds: 150, path: slow)) }
    }
}
