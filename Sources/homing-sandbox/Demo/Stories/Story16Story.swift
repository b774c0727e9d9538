import Sandbox

/// Messages to a ward's conversation, each with an address: a second PUT does not duplicate it.
struct Story16Story: Story {
    let backend = SandboxBackend.story16()
    let profile = "story16"
    let route = "message"

    private static let messages = [
        "We are on the way.", "The bridge at Aln is closed.", "Two of us walk ahead.", "The generator runs again.",
        "Eleven people are here.",
        "One of them has a fever.", "We stay overnight.", "Please send blankets.", "All is quiet.",
    ].map { Change("“\($0)”", ["from": "team-4", "text": .string($0)]) }

    func tell(_ day: Day) async throws -> Bool {
        day.say("A rescue team sets out. The daemon starts, and the leader signs in while still online.")
        try await day.station.open()
        try day.signIn()

        try await day.outage("There is no network in the mountains. The team writes \(Self.messages.count) messages to the ward.") {
            try day.handIn(Self.messages, route: route, fields: ["conversation=ward-3"])
        }
        day.say("The team is not sure whether one message was accepted, and submits it again with the same id.")
        let doubtful = try day.books.rows[4].id
        try day.show("submit", "--route", route, "--item", "conversation=ward-3", "--id", doubtful, "message-5.json")

        day.say(
            "Beyond the pass the network returns. The token’s hour ends in the middle of the deliveries. Later a message is accepted, but its answer is lost."
        )
        try await day.homecoming(slowing: "/messages/", endingSessionAmong: day.changes.count)
        await day.loseAnAnswer(of: "/messages/", thenSlowing: "/messages/")
        try day.show("sync", "--wait", "--timeout", "60")
        try day.showArrivals()
        try tellOfTheTokens(day)

        day.say("In the next valley the network is gone again. Signing out works without it, because this server has no sign-out request.")
        await day.sandbox.down()
        try day.close()
        return try day.compare("messages")
    }

    private func tellOfTheTokens(_ day: Day) throws {
        let puts = day.ledger.requests.filter { $0.method == "PUT" }
        let refreshes = day.ledger.requestCount("POST", path: "/v1/token", status: 200)
        try day.expect("each message had the token in its URL", puts.allSatisfy { $0.account == 1 })
        try day.expect("one refresh and one sign-in were enough", refreshes == 1 && day.ledger.logInCount == 1)
        let again = puts.count { $0.status == nil }
        try day.expect("one answer was lost, and the message sent again", again == 1)
        let taken = puts.count { $0.status == 200 || $0.status == nil }
        day.say(
            "The database expects the token in the URL and received it there \(puts.count) times. The daemon renewed the token automatically. It sent the message whose answer was lost to the same URL again: \(taken) requests accepted, \(day.ledger.entries.count) messages stored."
        )
    }
}
