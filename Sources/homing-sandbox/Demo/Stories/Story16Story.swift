import Sandbox

/// Messages to a ward's conversation, in a database where each message has an address: a second PUT does not duplicate it.
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
        day.say("A rescue team sets out. The daemon starts; the leader signs in while there is still a network.")
        try await day.station.open()
        try day.signIn()

        try await day.outage("In the mountains there is no network. The team writes \(Self.messages.count) messages to the ward.") {
            try day.handIn(Self.messages, route: route, fields: ["conversation=ward-3"])
        }
        day.say("Not sure whether one of them was taken, somebody hands it in again under the same id.")
        let doubtful = try day.books.rows[4].id
        try day.show("submit", "--route", route, "--item", "conversation=ward-3", "--id", doubtful, "message-5.json")

        day.say(
            "Over the pass the network returns. In the middle the token’s hour is over, and later a message is taken but its answer is lost."
        )
        try await day.homecoming(slowing: "/messages/")
        try await day.until("a third has arrived") { day.ledger.entries.count >= 3 }
        day.sandbox.expireSessions()
        try await day.until("two thirds have arrived") { day.ledger.entries.count >= 6 }
        await day.loseAnAnswer(of: "/messages/", thenSlowing: "/messages/")
        try day.show("sync", "--wait", "--timeout", "60")
        try day.showArrivals()
        try tellOfTheTokens(day)

        day.say("Down in the next valley the network is gone again. Signing out needs none: at this server there is nobody to tell.")
        await day.sandbox.down()
        try day.close()
        return try day.compare("messages")
    }

    private func tellOfTheTokens(_ day: Day) throws {
        let puts = day.ledger.requests.filter { $0.method == "PUT" }
        let refreshes = day.ledger.requestCount("POST", path: "/v1/token", status: 200)
        try day.expect("each message came with the token in its address", puts.allSatisfy { $0.account == 1 })
        try day.expect("one refresh and one sign-in were enough", refreshes == 1 && day.ledger.logInCount == 1)
        let again = puts.count { $0.status == nil }
        try day.expect("one answer was lost, and the message sent again", again == 1)
        let taken = puts.count { $0.status == 200 || $0.status == nil }
        day.say(
            "The database wants the token in the address and got it there, \(puts.count) times. The daemon renewed it by itself. The message whose answer was lost was put to the same address again: \(taken) times taken, \(day.ledger.entries.count) messages there."
        )
    }
}
