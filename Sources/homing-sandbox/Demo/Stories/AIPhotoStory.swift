import Sandbox

/// Portraits cost a credit each. The station signs in with a refresh token of the app.
struct AIPhotoStory: Story {
    let backend = SandboxBackend.aiPhoto(
        AIPhotoConfiguration {
            $0.firebase.refreshTokens = [Self.token: "manager@lab.test"]
            $0.credits = 3
        })
    let profile = "aiphoto"
    let route = "process_image"

    private static let token = "homing-lab.of-the-app-on-the-managers-phone"
    private static let pictures = ["studio", "garden", "seaside", "library", "winter"].map { template in
        Change("in the style ‘\(template)’", ["template_id": .string(template), "image_base64": .string("\(template)AA")])
    }

    func tell(_ day: Day) async throws -> Bool {
        day.say(
            "A photographer drives to a wedding. The daemon starts. She signs in with a refresh token from the app on her phone, where she signed in with Google, and registers."
        )
        try await day.station.open()
        try day.show("login", "--email", "manager@lab.test", "--refresh-token-stdin", input: Self.token)
        try day.handIn(fieldsOf: [Change("of the photographer", ["name": "Ada", "email": "manager@lab.test"])], route: "register")
        try day.show("sync", "--wait", "--timeout", "30")

        try await day.outage(
            "There is no network at the wedding. She orders \(Self.pictures.count) portraits. Each costs one credit, and she has three credits."
        ) {
            try day.handIn(fieldsOf: Self.pictures, route: route)
        }

        try await guardsOutage(day)
        try await outOfCredits(day)
        try day.showArrivals()
        try day.close()
        return try day.compare("changes")
    }

    /// A 401 for a valid token must not sign the account out.
    private func guardsOutage(_ day: Day) async throws {
        day.say(
            "The network returns. But AIPhoto cannot fetch Google’s certificates, so it refuses every token with 401, even one that was just renewed."
        )
        try change(day, ["lacks-certificates": true])
        try await day.homecoming(slowing: "/v1/images/process")
        try await day.until("a portrait is refused even with the new token") { try day.station.homing("status").contains("although") }
        try day.expect("the account is still signed in", try day.station.homing("status", "--json").contains("\"state\":\"signedIn\""))
        day.say(
            "The daemon renews the token, sees that this does not help, and keeps the session. AIPhoto accepts no portrait at all, so the daemon blames none of them."
        )
        try day.show("status")
        try day.expect("no portrait is on hold or failed", day.books.count("held") == 0 && day.books.count("dead") == 0)
        try day.expect("no credit was spent", day.ledger.requestCount("POST", path: "/v1/images/process", status: 201) == 0)
        try change(day, ["lacks-certificates": false])
        day.say("An hour later AIPhoto works again. The portraits are sent in order.")
        try day.show("sync")
    }

    private func outOfCredits(_ day: Day) async throws {
        try await day.until("the credits have run out") { try day.books.count("dead") == 1 }
        day.say("Three portraits are made. Then no credit is left.")
        try day.show("status")
        try day.show("why", try day.books.only("dead").id)
        day.say(
            "She buys ten credits in the app and submits the receipt. The answer is lost. AIPhoto recognizes a purchase by its number, so the daemon sends it again."
        )
        await day.loseAnAnswer(of: "/v1/credits/purchase")
        let receipt = Change("of ten credits", ["transaction_data": "GPA.3312-0912-3456-78901", "product_id": "credits.10"])
        try day.handIn(fieldsOf: [receipt], route: "purchase")
        try await day.until("the purchase is delivered") { try day.books.count("delivered") == 5 }
        let purchases = day.ledger.requestCount("POST", path: "/v1/credits/purchase")
        try day.expect("the purchase was sent twice", purchases == 2)
        try day.show("retry", try day.books.only("dead").id)
        try day.show("sync", "--wait", "--timeout", "60")
    }

    private func change(_ day: Day, _ settings: JSONObject) throws {
        do throws(FaultProblem) { try day.sandbox.change(settings) } catch { throw DemoError(error.description) }
    }
}
