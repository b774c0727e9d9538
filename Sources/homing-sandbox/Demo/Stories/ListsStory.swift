import Sandbox

/// A list of missing supplies, made at a relief depot without a network, on a server with thirty-day tokens and no refresh.
struct ListsStory: Story {
    let backend = SandboxBackend.lists()
    let profile = "lists"
    let route = "create_list"

    static let path = "/api/v1/lists"
    private static let depot = "Depot 7"
    private static let supplies = "Missing supplies"
    private static let due = "2026-12-01T12:00:00Z"
    private static let titles = ["Water", "Blankets", "Lamps", "Bandages", "Soap", "Stoves"]

    /// The beginning, shared with `Lists2026Story`.
    static func toTheDepot(_ day: Day) async throws {
        day.say("A lorry leaves for a depot. The daemon starts, and the manager signs in to Lists while still online, and makes a list.")
        try await day.station.open()
        try day.signIn()
        try day.show("lists", "add", "--name", depot)
        day.add([Change("‘\(depot)’", ["name": .string(depot)])])
        try await day.until("the list is at the server") { day.ledger.entries.count == 1 }
        try await day.until("the list has arrived") {
            let lists = try day.station.homing("lists", "--refresh")
            return lists.contains(depot) && !lists.contains("(new)")
        }
        day.say("The daemon keeps the lists, and the tasks of each list, for offline use.")
        try day.show("lists")
        try await day.outage("There is no network at the depot. The manager makes a list of \(titles.count) missing supplies.") {
            try makeList(day)
        }
        day.say("The new list and its tasks are there without a network.")
        let tasks = try day.show("tasks")
        try day.expect("the new tasks are listed", titles.allSatisfy { tasks.contains($0) })
    }

    /// The server has no ids for the list and its tasks yet.
    private static func makeList(_ day: Day) throws {
        let list = try reference(in: try day.show("lists", "add", "--name", supplies), /list-id (@[0-9a-f-]+)/)
        day.add([Change("‘\(supplies)’", ["name": .string(supplies)])])
        var tasks: [String] = []
        for title in titles {
            let command = ["tasks", "add", "--list-id", list, "--title", title, "--due-at", due]
            let told = try tasks.isEmpty ? day.show(command) : day.station.homing(command)
            tasks.append(try reference(in: told, /task_id=(@[0-9a-f-]+)/))
            day.add([Change("‘\(title)’", ["title": .string(title), "due_at": .string(due)])])
        }
        day.quote("… and \(titles.count - 1) more in the same way.")
        day.say("The depot finds water after all. The first task is completed.")
        try day.show("submit", "--no-document", "--route", "complete_task", "--item", "task_id=\(tasks[0])")
        day.add([Change("‘\(titles[0])’, completed", ["completed": true])])
    }

    private static func reference(in text: String, _ pattern: Regex<(Substring, Substring)>) throws -> String {
        guard let match = text.firstMatch(of: pattern) else { throw DemoError("the command does not say how to use the new row: \(text)") }
        return String(match.1)
    }

    /// The end, shared with `Lists2026Story`: the tasks at the server, the sign-out, and the comparison.
    static func close(_ day: Day) throws -> Bool {
        day.say("The server has given the list and its tasks their numbers, and the daemon reads them.")
        try day.station.homing("lists", "--refresh")
        let tasks = try day.show("tasks", "--refresh")
        try day.expect("the tasks are at the server", titles.allSatisfy { tasks.contains($0) } && !tasks.contains("(new)"))
        try day.close()
        return try day.compare("entries")
    }

    func tell(_ day: Day) async throws -> Bool {
        try await Self.toTheDepot(day)

        day.say(
            "On the way home the network returns. The token’s thirty days end in the middle of the deliveries, and Lists cannot renew it.")
        try await day.homecoming(slowing: Self.path)
        try await day.until("some have arrived") { day.ledger.entries.count >= 4 }
        day.sandbox.expireSessions()
        try await day.until("the daemon asks for a sign-in") { try day.station.homing("status", "--json").contains("\"signInRequired\"") }
        let missing = try day.changes.count - day.books.count("delivered")
        try day.expect("some changes are still waiting", missing > 0)
        day.say("\(missing) changes are waiting, and none is lost. The manager checks the status and is asked to sign in again.")
        try day.signInAgain()
        return try Self.close(day)
    }
}
