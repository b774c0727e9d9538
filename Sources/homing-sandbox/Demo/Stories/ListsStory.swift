import Sandbox

/// Shopping lists for a relief depot, on a server with thirty-day tokens and no refresh.
struct ListsStory: Story {
    let backend = SandboxBackend.lists()
    let profile = "lists"
    let route = "create_list"

    static let path = "/api/v1/lists"
    static let lists = ["Bread", "Water", "Blankets", "Lamps", "Bandages", "Soap", "Stoves", "Fuel", "Tents"].map { name in
        Change("‘\(name)’", ["name": .string(name), "description": .string("\(name.lowercased()) needed at depot 7")])
    }

    /// The beginning, shared with `Lists2026Story`.
    static func toTheDepot(_ day: Day, route: String) async throws {
        day.say("A lorry leaves for a depot. The daemon starts, and the manager signs in to Lists while still online.")
        try await day.station.open()
        try day.signIn()
        try await day.outage("There is no network at the depot. \(lists.count) lists of missing supplies are made.") {
            try day.handIn(fieldsOf: lists, route: route)
        }
    }

    func tell(_ day: Day) async throws -> Bool {
        try await Self.toTheDepot(day, route: route)

        day.say(
            "On the way home the network returns. The token’s thirty days end in the middle of the deliveries, and Lists cannot renew it.")
        try await day.homecoming(slowing: Self.path)
        try await day.until("some have arrived") { day.ledger.entries.count >= 4 }
        day.sandbox.expireSessions()
        try await day.until("the daemon asks for a sign-in") { try day.station.homing("status", "--json").contains("\"signInRequired\"") }
        let missing = try Self.lists.count - day.books.count("delivered")
        try day.expect("some lists are still waiting", missing > 0)
        day.say("\(missing) lists are waiting, and none is lost. The manager checks the status and is asked to sign in again.")
        try day.signInAgain()

        try day.close()
        return try day.compare("lists")
    }
}
