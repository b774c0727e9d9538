import Sandbox

/// Appointments are made on house calls. Tokens last 15 minutes, and an appointment must not be sent twice.
struct LabLoopStory: Story {
    let backend = SandboxBackend.labLoop()
    let profile = "labloop"
    let route = "appointment"

    private static let path = "/mobile/appointments"
    private static let appointments = [
        ("08:30", "blood count"), ("08:50", "lipid panel"), ("09:10", "glucose"), ("09:40", "thyroid"), ("10:00", "blood count"),
        ("10:20", "vitamin D"), ("10:45", "liver panel"), ("11:05", "ferritin"), ("11:30", "glucose"),
    ].map { time, test in
        Change("at \(time), \(test)", ["startsAt": .string("2026-11-23T\(time):00Z"), "test": .string(test), "isFasting": true])
    }

    func tell(_ day: Day) async throws -> Bool {
        day.say("A nurse sets out on house calls. The daemon starts; the manager signs in to LabLoop while there is still a network.")
        try await day.station.open()
        try day.signIn()

        try await day.outage(
            "Between the houses there is no network. \(Self.appointments.count) appointments are made for the week to come."
        ) {
            try day.handIn(Self.appointments, route: route)
        }

        day.say(
            "Back at the practice. The network returns. LabLoop’s token has run out meanwhile, and the next one ends in the middle; then LabLoop takes an appointment, but its answer is lost."
        )
        day.sandbox.expireSessions()
        try await day.homecoming(slowing: Self.path)
        try await day.until("a third has arrived") { day.ledger.entries.count >= 3 }
        day.sandbox.expireSessions()
        try await day.until("two thirds have arrived") { day.ledger.entries.count >= 6 }
        await day.loseAnAnswer(of: Self.path, thenSlowing: Self.path)
        try await day.until("an appointment is held") { try day.books.count("held") == 1 }
        let refreshes = day.ledger.requestCount("GET", path: "/mobile/auth/refresh", status: 200)
        try day.expect("two refreshes and one sign-in were enough", refreshes == 2 && day.ledger.logInCount == 1)
        day.say(
            "Nobody had to sign in again: the daemon fetched new tokens by itself, \(refreshes) times, each time with the refresh token that came with the last. For the lost answer it needs a person."
        )
        try day.show("status")

        day.say("LabLoop could not tell a second appointment from the first, so the daemon does not send it again. The manager asks why.")
        let held = try day.books.only("held")
        try day.show("list", "--state", "held")
        try day.show("why", held.id)
        try day.expect("LabLoop has the appointment", try day.arrivals().contains { $0.id == held.id })
        day.say("She looks in LabLoop’s calendar: the appointment is there. So it must not go up again, and the rest may follow.")
        try day.show("discard", held.id, "--yes")
        try day.show("sync", "--wait", "--timeout", "60")
        try day.showArrivals()

        day.say("A phone was left behind in one of the houses. To be safe, the manager signs out on all devices.")
        try day.close(signingOut: "--all-devices")
        try day.expect("LabLoop ended the sessions", day.ledger.requestCount("POST", path: "/mobile/auth/logout", status: 200) == 1)
        return try day.compare("appointments", foundThere: [held.id])
    }
}
