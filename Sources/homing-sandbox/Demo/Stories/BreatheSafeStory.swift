import Sandbox

/// Faces are measured without a network; the session ends midway, and the backend refuses one capture.
struct BreatheSafeStory: Story {
    let captures: DemoCaptures
    let backend = SandboxBackend.breatheSafe(BreatheSafeConfiguration { $0.managedUsers = Self.people })
    let profile = "breathesafe"
    let route = "measurement"

    private static let path = "facial_measurements_from_arkit"
    /// A person of this name is in the list.
    private static let name = "Anna Example"

    private static var people: [BreatheSafeConfiguration.ManagedUser] {
        (5...9).map { BreatheSafeConfiguration.ManagedUser(user: $0).named } + [.init(user: DemoCaptures.notManaged, manager: 2)]
    }

    func tell(_ day: Day) async throws -> Bool {
        day.say("A van with a capture station sets out. The daemon starts, and the clinic’s manager signs in while still online.")
        try await day.station.open()
        try day.signIn("--remember")
        try await day.until("the list of people is read") { try day.station.homing("people").contains(Self.name) }
        day.say("The daemon reads the list of the manager’s people.")
        try day.show("people")

        await day.sandbox.down()
        day.say(
            "There is no network in the country. \(captures.measured) faces are measured, and the capture app adds \(captures.offline.count) files of its own."
        )
        try captures.drop(into: day.station.spool)
        day.say(
            "The list of people is on the station, so the manager submits a capture by name. User \(DemoCaptures.notManaged) is not in the list: Homing accepts the capture, and warns."
        )
        try day.submit(captures.named, as: "face.json", "--user", Self.name)
        try day.submit(captures.unlisted, as: "stranger.json", "--user", "\(DemoCaptures.notManaged)")
        try await day.until("the files are accepted") { try day.books.rows.count == captures.count }
        try await day.noticedOutage()
        day.say("Every file is safe in the outbox, and the drop folder is empty again. What has been delivered?")
        try day.show("status")
        day.say("Names are there without a network.")
        try day.show("people", "--find", "anna")
        try day.show("list", "--limit", "3")
        try day.expect("the list of entries names people", day.station.homing("list").contains("\(Self.name) (5)"))

        day.say(
            "Back in town, the network returns. The server ends the session in the middle of the deliveries. Later it accepts a measurement, but its answer is lost."
        )
        try await day.homecoming(slowing: Self.path, endingSessionAmong: captures.count, rememberTokens: true)
        // This user is managed by the manager, so the request takes effect before its response is lost.
        await day.loseAnAnswer(of: "/users/5/\(Self.path)", thenSlowing: Self.path)
        try day.show("sync", "--wait", "--timeout", "60")
        showArrivals(day)
        day.say(
            "When the session ended, the daemon signed in again by itself (\(day.ledger.logInCount) sign-ins in all). After the lost answer it looked the measurement up and did not send it twice."
        )

        day.say("One capture is left. The manager asks why.")
        let refused = try day.books.only("dead")
        try day.show("list", "--state", "dead")
        try day.show("why", refused.id)
        try day.show("retry", refused.id)
        try await day.until("the server has refused it again") { try day.books.count("dead") == 1 }
        day.say(
            "User \(DemoCaptures.notManaged) belongs to another clinic, so the server refuses the capture again. The manager discards it.")
        try day.show("discard", refused.id, "--yes")

        try day.close()
        day.say("After the sign-out, the list of people is gone from the station.")
        try day.show("people")
        for command in ["people", "list"] {
            try day.expect("no names are shown after the sign-out", !day.station.homing(command).contains(Self.name))
        }
        let measured = day.ledger.entries.filter { $0.path.contains(Self.path) }
        return day.compare(
            DemoComparison(handedIn: (captures.count, "files"), books: try day.books, arrivals: measured.map(\.clientMutationID)))
    }

    private func showArrivals(_ day: Day) {
        day.say("The server’s ledger, in order of arrival:")
        let lines = day.ledger.entries.filter { $0.clientMutationID != nil }.map { entry in
            "\(entry.sequence < 10 ? " " : "")\(entry.sequence). measurement \(entry.remoteID ?? 0) of user \(entry.user ?? 0)"
                + (entry.answered ? "" : "   ← its answer was lost")
        }
        day.quote(lines.joined(separator: "\n"))
    }
}
