import Sandbox

extension Replay {
    private static func post(_ arkitData: String, to user: Int = 5, accept: String = "application/json")
        -> @Sendable (LabClient) async throws -> LabAnswer
    {
        {
            try await $0.send(
                "POST", "/users/\(user)/facial_measurements_from_arkit", accept: accept, body: .json(#"{"arkit_data":\#(arkitData)}"#))
        }
    }

    private static func byHand(_ fields: String) -> @Sendable (LabClient) async throws -> LabAnswer {
        {
            try await $0.send(
                "POST", "/users/5/facial_measurements", body: .json(#"{"facial_measurement":{"source":"caliper",\#(fields)}}"#))
        }
    }

    static let measurements: [Replay] = [
        .anonymous("arkit POST not logged in, JSON body, existing user id 2", post("{}", to: 2)),
        .anonymous("arkit POST not logged in, no Accept", post("{}", to: 2, accept: "*/*")),
        .anonymous("arkit POST not logged in, unknown user", post("{}", to: 99999)),
        .manager("arkit POST ok") { try await post(capture())($0) },
        .manager("arkit POST ok, no Accept header (*/*)") { try await post(capture(), accept: "*/*")($0) },
        .manager("arkit POST to self (own id 1)") { try await post(capture(), to: 1)($0) },
        .manager("arkit POST for unmanaged user 2", post(#"{"average_measurements":{}}"#, to: 2)),
        .manager("arkit POST unknown user 99999", post(#"{"average_measurements":{}}"#, to: 99999)),
        .manager("arkit POST missing arkit_data") { try await $0.send("POST", arkit, body: .json("{}")) },
        .manager("arkit POST arkit_data w/o average_measurements", post(#"{"a":1}"#)),
        .manager(
            "arkit POST bad key + zero value + missing description",
            post(#"{"average_measurements":{"x":{"value":1},"14-818":{"value":0,"description":"d"},"1-2":{"value":3}}}"#)),
        Replay("arkit POST empty average_measurements") { _, client in
            try await client.logIn()
            return [try await client.upload()]
        },
        .manager("arkit POST empty arkit_data {}", post("{}")),
        .manager("arkit POST arkit_data string", post(#""hi""#)),
        .manager("arkit POST malformed JSON") { try await $0.send("POST", arkit, body: .json(#"{"arkit_data":"#)) },
        .manager("facial_measurements GET") { client in
            try await client.upload()
            return try await client.send("GET", "/users/5/facial_measurements")
        },
        .manager("facial_measurements POST (traditional)", byHand(#""user_id":5,"face_width":140,"face_length":115,"nose_protrusion":27"#)),
        .manager("facial_measurements POST no user_id in body", byHand(#""face_width":140"#)),
        .manager("facial_measurements POST body user_id of ANOTHER user (2)", byHand(#""user_id":2,"face_width":140"#)),
        .manager("aggregate_arkit") {
            try await $0.send("POST", "/users/5/facial_measurements/aggregate_arkit", body: .json(#"{"arkit":\#(capture())}"#))
        },
        .anonymous("aggregate_arkit no CSRF no login") {
            try await $0.send("POST", "/users/5/facial_measurements/aggregate_arkit", body: .json(#"{"arkit":{}}"#))
        },
        Replay("arkit POST by other manager") { _, client in
            try await client.logIn("other@lab.test")
            return [try await client.upload()]
        },
    ]

    static let bodies: [Replay] = [
        .manager("gzip request body") {
            try await $0.send(
                "POST", arkit, headers: ["content-encoding": "gzip"], body: .raw("\u{1F}\u{8B}\u{8}", type: "application/json"))
        },
        .manager("deep nesting 120") {
            let nested = String(repeating: "[", count: 120) + String(repeating: "]", count: 120)
            return try await $0.send("POST", arkit, body: .json(#"{"arkit_data":{"average_measurements":{},"n":\#(nested)}}"#))
        },
        .manager("NaN literal", post(#"{"average_measurements":{"1-2":{"value":NaN,"description":"d"}}}"#)),
        .manager("form content type instead of json") {
            try await $0.send(
                "POST", arkit,
                body: .form("arkit_data[average_measurements][1-2][value]=3&arkit_data[average_measurements][1-2][description]=d"))
        },
        .manager("no content type JSON body") { try await $0.send("POST", arkit, body: .raw(small, type: nil)) },
    ]
}
