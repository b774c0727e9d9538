import Foundation

/// Deliveries of waiting entries to a server that is faster than the daemon.
struct Drains {
    let tools: Tools
    let document: Samples.Document
    var link = Link()

    private var part: String { link.roundTrip == nil ? "drain" : "distance" }

    func measure() async throws -> [Row] {
        var rows: [Row] = []
        var rates: [Double] = []
        for lanes in [1, 64] {
            let what = "\(document.name)\(link.name), \(lanes == 1 ? "one lane" : "\(lanes) lanes")"
            let station = try await Station(tools, inFlight: 64, link: link)
            try await station.start()
            try await station.signIn()
            let bare = try await self.bare(station, lanes)
            try await station.goDown()
            let perLane = link.roundTrip != nil ? 50 : lanes == 1 ? 2000 : 200
            let count = lanes * perLane / (tools.isQuick ? 4 : 1)
            try await station.submit(count, users: Array(Station.users.prefix(lanes)), document: document.data)
            let (spent, traffic) = try await station.drain(count)
            try await station.close()
            rates.append(spent.rate)
            rows += bare.map { [$0] } ?? []
            rows.append(rate(what, spent.rate, lanes, bare: bare?.value, one: rates[0]))
            rows += spent.rows(part, what, per: "delivery")
            let syncs = Double(spent.syncs) / Double(spent.count)
            rows += [
                Row(
                    part: part, what: "\(what): fdatasyncs per delivery", value: syncs, unit: "",
                    target: lanes == 1 ? "at most 1.25" : nil, isMet: lanes == 1 ? syncs <= 1.25 : nil),
                Row(
                    part: part, what: "\(what): connections for \(count) deliveries", value: Double(traffic.connections), unit: "",
                    ratio: Double(traffic.requests) / Double(count), of: "requests per delivery"),
                Row(
                    part: part, what: "\(what): sent to the server per delivery", value: Double(traffic.received) / 1024 / Double(count),
                    unit: "KiB"),
            ]
        }
        return rows
    }

    private func rate(_ what: String, _ rate: Double, _ lanes: Int, bare: Double?, one: Double) -> Row {
        var row = Row(part: part, what: what, value: rate, unit: "/s")
        if let bare { (row.ratio, row.of) = (rate / bare, "of the bare client") }
        if let roundTrip = link.roundTrip {
            (row.ratio, row.of) = (rate * Double(roundTrip) / 1000 / Double(lanes), "per round trip and lane")
            if lanes > 1 { (row.target, row.isMet) = ("at least 30 × one lane", rate >= 30 * one) }
        }
        return row
    }

    /// What the server can do; nil for a distant one.
    private func bare(_ station: Station, _ lanes: Int) async throws -> Row? {
        guard link.roundTrip == nil else { return nil }
        let client = BareClient(server: station.server, document: document.data)
        let (rate, perProcessorSecond) = try await client.rates(concurrency: lanes, seconds: tools.seconds)
        return Row(
            part: part, what: "\(document.name), bare client, \(lanes) at a time", value: rate, unit: "/s", ratio: perProcessorSecond,
            of: "per processor second of the server", target: lanes == 1 ? nil : "at least 8,000 of these",
            isMet: lanes == 1 ? nil : perProcessorSecond >= 8000)
    }
}

/// The requests of deliveries, without a daemon.
private struct BareClient {
    let server: FastServer
    let document: Data

    /// Answers per second, and per processor second of the server.
    func rates(concurrency: Int, seconds: Double) async throws -> (rate: Double, perProcessorSecond: Double) {
        let client = Client(base: "http://127.0.0.1:\(server.listener.port)")
        let body = Data(#"{"arkit_data":"#.utf8) + document + Data("}".utf8)
        let processor = try await server.processorSeconds
        let begin = ContinuousClock.now
        let end = begin + .seconds(seconds)
        let count = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<concurrency {
                group.addTask {
                    let path = "/users/\(Station.users[number % Station.users.count])/facial_measurements_from_arkit"
                    while ContinuousClock.now < end {
                        _ = try await client.send(.POST, path, body)
                        count.next()
                    }
                }
            }
            try await group.waitForAll()
        }
        let took = (ContinuousClock.now - begin).seconds
        let spent = try await server.processorSeconds - processor
        try await client.close()
        return (Double(count.value) / took, Double(count.value) / spent)
    }
}
