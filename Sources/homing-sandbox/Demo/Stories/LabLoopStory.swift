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
        day.say("A nurse sets out on house calls. The daemon starts, and the manager signs in to LabLoop while still online.")
        try await day.station.open()
        try day.signIn()

        try await day.outage(
            "There is no network between the houses. \(Self.appointments.count) appointments are made for the coming week."
        ) {
            try day.handIn(Self.appointments, route: route)
        }

        day.say(
            "Back at the practice, the network returns. The LabLoop token has expired, and the next one expires in the middle of the deliveries. Then LabLoop accepts an appointment, but its answer is lost."
        )
        day.sandbox.expireSessions()
        try await day.homecoming(slowing: Self.path, endingSessionAmong: day.changes.count)
        await day.loseAnAnswer(of: Self.path, thenSlowing: Self.path)
        try await day.until("an appointment is on hold") { try day.books.count("held") == 1 }
        let refreshes = day.ledger.requestCount("GET", path: "/mobile/auth/refresh", status: 200)
        try day.expect("two refreshes and one sign-in were enough", refreshes == 2 && day.ledger.logInCount == 1)
        day.say(
            "No new sign-in was needed: the daemon refreshed its tokens \(refreshes) times, each time with the latest refresh token. But a person must decide about the lost answer."
        )
        try day.show("status")

        day.say("LabLoop cannot recognize a duplicate, so the daemon does not send the appointment again. The manager asks why.")
        let held = try day.books.only("held")
        try day.show("list", "--state", "held")
        try day.show("why", held.id)
        try day.expect("LabLoop has the appointment", try day.arrivals().contains { $0.id == held.id })
        day.say("She finds the appointment in LabLoop’s calendar and says so. Then the rest can be delivered.")
        try day.show("resolve", held.id, "--delivered")
        try day.show("sync", "--wait", "--timeout", "60")
        try day.showArrivals()

        day.say("A phone was left behind in one of the houses. To be safe, the manager signs out on all devices.")
        try day.close(signingOut: "--all-devices")
        try day.expect("LabLoop ended the sessions", day.ledger.requestCount("POST", path: "/mobile/auth/logout", status: 200) == 1)
        return try day.compare("appointments")
    }
}
