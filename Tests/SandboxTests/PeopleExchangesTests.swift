import Foundation
import Sandbox
import Testing

@Suite struct PeopleExchangesTests {
    private static let file = "breathesafe-people-exchanges.txt"
    /// Ids in the capture: the row in `managed_users`, the person, the fit test.
    private static let (row, person, fitTest) = ("23", "28", "14")

    @Test func sandboxAnswersLikeRealBackend() async throws {
        let exchanges = try CapturedExchange.read(fixture(Self.file))
        #expect(exchanges.count == 24)
        // The first and the last have the measurements of the captured list.
        var backend = BreatheSafeConfiguration { $0.masks = 0 }
        backend.managedUsers = (5...7).map { .init(user: $0) }
        try await withSandbox(backend) { _, client async throws in
            try await client.logIn()
            try await prepare(client, from: exchanges)
            var ids: [String: String] = [:]
            for exchange in exchanges {
                let answer = try await send(exchange, ids, by: client)
                let differences = answer.differences(from: exchange.answer, host: "")
                #expect(differences == [], "\(exchange.label)")
                // `try?`: a response without a JSON body has no ids.
                let body = try? answer.json()
                if let made = body?["managed_user"] {
                    ids[Self.row] = made["id"]?.integer.map(String.init)
                    ids[Self.person] = made["managed_id"]?.integer.map(String.init)
                    #expect(ids[Self.row] != ids[Self.person])
                }
                if let made = body?["fit_test"]?["id"]?.integer { ids[Self.fitTest] = String(made) }
            }
        }
    }

    private func prepare(_ client: LabClient, from exchanges: [CapturedExchange]) async throws {
        func arkit(_ label: String) throws -> JSONObject {
            let body = try #require(exchanges.first { $0.label == label }).answer.body
            let rows = try JSON(bytes: Array(JSONShape.closed(body).utf8))["managed_users"]
            return try #require(rows?.elements?.first?["arkit"]?.members)
        }
        let whole = try arkit("the new person in the list, before a name was given")
        var cut = try arkit("the list, page 2 of 2 a page")
        // Completes the measurements that were truncated in the capture.
        let distances = (whole["average_measurements"]?.members ?? [:]).merging(cut["average_measurements"]?.members ?? [:]) { whole, cut in
            .object((whole.members ?? [:]).merging(cut.members ?? [:]) { $1 })
        }
        cut["average_measurements"] = .object(distances)
        _ = try await client.send("PUT", "/users/5/profile", body: .json(#"{"profile":{"first_name":"Eve","last_name":"Lab"}}"#))
        for (user, arkit) in [(5, whole), (7, cut)] {
            let body = JSON.object(["arkit_data": .object(arkit)]).description
            let answer = try await client.send("POST", "/users/\(user)/facial_measurements_from_arkit", body: .json(body))
            #expect(answer.status == 201)
        }
        let mask = #"{"mask":{"unique_internal_model_code":"JJ-3300","filter_type":"cloth","style":"Cup"}}"#
        #expect(try await client.send("POST", "/masks", body: .json(mask)).status == 201)
    }

    /// Sends the captured request with this sandbox's ids.
    private func send(_ exchange: CapturedExchange, _ ids: [String: String], by client: LabClient) async throws -> LabAnswer {
        func ours(_ text: String) -> String { text.replacing(/\b\d+\b/) { ids[String($0.output)] ?? String($0.output) } }
        var headers = exchange.method == "GET" ? [:] : try await client.csrfHeader()
        if exchange.label.contains("If-None-Match") {
            headers["if-none-match"] = try await client.send("GET", exchange.path).header("etag")
        }
        return try await client.send(
            exchange.method, ours(exchange.path), headers: headers, body: exchange.body.map { .json(ours($0)) } ?? .none)
    }
}
