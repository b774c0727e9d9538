import Foundation
import NIOHTTP1

/// Deliveries to the sandbox, compared with the bare HTTP client against the same server.
struct Deliveries {
    let tools: Tools

    func measure() async throws -> [Row] {
        var rows: [Row] = []
        for lanes in [1, 64] {
            let station = try await Station(tools, inFlight: 64)
            try await station.start()
            try await station.signIn()
            let bare = try await BareClient(station).rate(concurrency: lanes, seconds: tools.seconds)
            let count = lanes == 1 ? 2000 : 6400
            try await station.goDown()
            try await station.submit(count, users: Array(Station.users.prefix(lanes)))
            let disk = Disk.fdatasyncRate(in: station.directory)
            try await station.goUp()
            try await station.control.post("/v1/sync")
            let (rate, syncs, delivered) = try await station.delivered(count)
            let name = lanes == 1 ? "one lane" : "\(lanes) lanes"
            let perSync = Double(delivered) / Double(max(1, syncs))
            rows += [
                Row(part: "deliver", what: "bare client, \(lanes) at a time", value: bare, unit: "/s"),
                Row(
                    part: "deliver", what: name, value: rate, unit: "/s", ratio: rate / bare, of: "of the bare client",
                    target: lanes == 1 ? nil : "at least 0.5", isMet: lanes == 1 ? nil : rate / bare >= 0.5),
                Row(part: "deliver", what: "\(name), relative to the disk’s fdatasyncs per second", value: rate / disk, unit: "×"),
                Row(
                    part: "deliver", what: "\(name): deliveries per fdatasync", value: perSync, unit: "",
                    target: lanes == 1 ? "at least 0.8" : nil, isMet: lanes == 1 ? perSync >= 0.8 : nil),
            ]
            try await station.close()
        }
        return rows
    }
}

/// The same requests without a daemon.
struct BareClient: Sendable {
    private let client: Client
    private let headers: [(String, String)]
    private let body: Data

    init(_ station: Station) async throws {
        client = station.backend
        let accept = [("Accept", "application/json")]
        let login = #"{"user":{"email":"manager@lab.test","password":"Correct-horse-9"}}"#
        let signedIn = try await client.send(.POST, "/users/log_in", Data(login.utf8), headers: accept)
        func cookies(_ answer: (headers: HTTPHeaders, body: Data)) -> String {
            answer.headers["set-cookie"].map { String($0.prefix { $0 != ";" }) }.joined(separator: "; ")
        }
        let token = try await client.send(.GET, "/csrf_token", nil, headers: accept + [("Cookie", cookies(signedIn))])
        struct Token: Decodable {
            let token: String
            private enum CodingKeys: String, CodingKey { case token = "csrf_token" }
        }
        headers =
            accept + [
                ("Cookie", cookies(token)), ("X-CSRF-Token", try JSONDecoder().decode(Token.self, from: token.body).token),
            ]
        body = Data(#"{"arkit_data":"#.utf8) + Samples.small + Data("}".utf8)
    }

    /// Requests per second.
    func rate(concurrency: Int, seconds: Double) async throws -> Double {
        let begin = ContinuousClock.now
        let end = begin + .seconds(seconds)
        let count = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<concurrency {
                group.addTask {
                    let path = "/users/\(Station.users[number % Station.users.count])/facial_measurements_from_arkit"
                    while ContinuousClock.now < end {
                        _ = try await client.send(.POST, path, body, headers: headers)
                        count.next()
                    }
                }
            }
            try await group.waitForAll()
        }
        return Double(count.value) / (ContinuousClock.now - begin).seconds
    }
}
