import Sandbox

/// Shopping lists for a relief depot, on a server with thirty-day tokens and no refresh.
struct ListsStory: Story {
    let backend = SandboxBackend.lists()
    let profile = "lists"
    let route = "create_list"

    static let path = "/api/v1/lists"
    static let lists = ["Bread", "Water", "Blankets", "Lamps", "Bandages", "Soap", "Stoves", "Fuel", "Tents"].map { name in
        Change("‘\(name)’", ["name": .string(name), "description": .string("what depot 7 needs of \(name.lowercased())")])
    }

    /// The beginning, shared with `Lists2026Story`.
    static func toTheDepot(_ day: Day, route: String) async throws {
        day.say("A lorry leaves for a depot. The daemon starts; the manager signs in to Lists while there is still a network.")
        try await day.station.open()
        try day.signIn()
        try await day.outage("At the depot there is no network. \(lists.count) lists are made of what is missing.") {
            try day.handIn(fieldsOf: lists, route: route)
        }
    }

    func tell(_ day: Day) async throws -> Bool {
        try await Self.toTheDepot(day, route: route)

        day.say(
            "On the way home the network returns. In the middle the token’s thirty days are over, and Lists has nothing to renew it by.")
        try await day.homecoming(slowing: Self.path)
        try await day.until("some have arrived") { day.ledger.entries.count >= 4 }
        day.sandbox.expireSessions()
        try await day.until("a sign-in is asked for") { try day.station.homing("status", "--json").contains("\"signInRequired\"") }
        let missing = try Self.lists.count - day.books.count("delivered")
        try day.expect("some of the lists still wait", missing > 0)
        day.say("\(missing) lists wait, and nothing of them is lost. The manager asks, and is asked to sign in again.")
        try day.signInAgain()

        try day.close()
        return try day.compare("lists")
    }
}
