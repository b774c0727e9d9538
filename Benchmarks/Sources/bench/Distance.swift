/// A backend with responses that take 100 ms, for which parallel lanes must compensate.
struct Distance {
    let tools: Tools

    func measure() async throws -> [Row] {
        var rates: [Double] = []
        for lanes in [1, 64] {
            let station = try await Station(tools, inFlight: 64)
            try await station.start()
            try await station.signIn()
            try await station.goDown()
            let count = lanes == 1 ? 60 : 3200
            try await station.submit(count, users: Array(Station.users.prefix(lanes)))
            try await station.goUp()
            try await station.delay(100)
            try await station.control.post("/v1/sync")
            rates.append(try await station.delivered(count).rate)
            try await station.close()
        }
        return [
            Row(part: "distance", what: "100 ms away, one lane", value: rates[0], unit: "/s"),
            Row(
                part: "distance", what: "100 ms away, 64 lanes", value: rates[1], unit: "/s", ratio: rates[1] / rates[0], of: "× one lane",
                target: "at least 30 ×", isMet: rates[1] >= 30 * rates[0]),
        ]
    }
}
