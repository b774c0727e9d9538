import Sandbox

extension Replay {
    static let fitTest = #"""
        {"mask_id":2,"comfort":{"Is there enough room to talk?":"Yes"},"facial_hair":{"beard_length_mm":0},"results":{"qualitative":
        {"aerosol":{"solution":"Saccharin"},"exercises":[{"name":"Normal breathing","result":null},{"name":"Deep breathing","result":null},
        {"name":"Turning head side to side","result":null},{"name":"Moving head up and down","result":null},{"name":"Talking","result":null},
        {"name":"Bending over","result":null},{"name":"Normal breathing","result":null}],"procedure":null},"quantitative":{"exercises":
        [{"name":"Bending over","fit_factor":null},{"name":"Talking","fit_factor":null},{"name":"Turning head side to side","fit_factor":null},
        {"name":"Moving head up and down","fit_factor":null},{"name":"Normal breathing 1","fit_factor":null},
        {"name":"Normal breathing 2","fit_factor":null},{"name":"Grimace","fit_factor":null},{"name":"Deep breathing","fit_factor":null},
        {"name":"Normal breathing (SEALED)","fit_factor":null}],"testing_mode":"N95"}}}
        """#

    static func addFitTest(_ test: String = fitTest, for user: Int = 5) -> @Sendable (LabClient) async throws -> LabAnswer {
        {
            try await $0.send(
                "POST", "/fit_tests", headers: $0.csrfHeader(), body: .json(#"{"user":{"id":\#(user)},"fit_test":\#(test)}"#))
        }
    }

    private static let mask = #"{"mask":{"unique_internal_model_code":"LAB-NEW","filter_type":"cloth","style":"Cup"}}"#

    static let fitTests: [Replay] = [
        .anonymous("fit_tests GET no login") { try await $0.send("GET", "/fit_tests") },
        .manager("fit_tests POST no CSRF logged in") { try await $0.send("POST", "/fit_tests", body: .json("{}")) },
        Replay("fit_tests POST ok twice") { _, client in
            try await client.logIn()
            return [try await addFitTest()(client), try await addFitTest()(client)]
        },
        .anonymous("fit_tests POST not logged in w/ CSRF", addFitTest()),
        .manager("fit_tests POST for unmanaged user", addFitTest(for: 2)),
        .manager("fit_tests POST bad mask id (FK)", addFitTest(#"{"mask_id":424242}"#)),
        .manager("fit_tests POST notes > 10000", addFitTest(#"{"mask_id":2,"notes":"\#(String(repeating: "n", count: 10_001))"}"#)),
        .manager("fit_tests PUT 2") { client in
            _ = try await addFitTest()(client)
            return try await client.send("PUT", "/fit_tests/1", headers: client.csrfHeader(), body: .json(#"{"fit_test":{"mask_id":1}}"#))
        },
        Replay("fit_tests DELETE 2 twice") { _, client in
            try await client.logIn()
            _ = try await addFitTest()(client)
            let token = try await client.csrfHeader()
            return [
                try await client.send("DELETE", "/fit_tests/1", headers: token),
                try await client.send("DELETE", "/fit_tests/1", headers: token),
            ]
        },
        Replay("masks GET no login", backend: BreatheSafeConfiguration { $0.masks = 0 }) { _, client in
            [try await client.send("GET", "/masks")]
        },
        .manager("masks POST with CSRF") { try await $0.send("POST", "/masks", headers: $0.csrfHeader(), body: .json(mask)) },
        Replay("mask POST twice same code (no CSRF needed)") { _, client in
            try await client.logIn()
            return [try await client.send("POST", "/masks", body: .json(mask)), try await client.send("POST", "/masks", body: .json(mask))]
        },
        .anonymous("mask POST not logged in") { try await $0.send("POST", "/masks", body: .json(mask)) },
    ]
}
