import Backends
import Foundation
import SyncModel
import Testing

@Suite struct FinalCodesTests {
    @Test(arguments: [
        ("breathesafe", "measurement", 422, #"{"messages":["Arkit must have an \"average_measurements\" key"]}"#, "permanent"),
        ("breathesafe", "measurement", 422, #"{"messages":["Not managed by current user."]}"#, "permanent"),
        ("breathesafe", "measurement", 422, #"{"messages":["Please log in."]}"#, "unauthorized"),
        ("breathesafe", "measurement", 422, #"{"status":422,"error":"Unprocessable Content"}"#, "transient"),
        ("breathesafe", "measurement", 404, #"{"status":404,"error":"Not Found"}"#, "transient"),
        ("breathesafe", "profile", 422, #"{"profile":{},"messages":["Did not update."]}"#, "permanent"),
        ("breathesafe", "profile", 422, #"{"profile":null,"messages":null}"#, "transient"),
        ("labloop", "appointment", 400, #"{"success":false,"error":{"code":"VALIDATION_ERROR"}}"#, "permanent"),
        ("labloop", "appointment", 403, #"{"success":false,"code":"FORBIDDEN"}"#, "forbidden"),
        ("labloop", "appointment", 403, #"{"message":"Forbidden"}"#, "transient"),
        ("aiphoto", "process_image", 403, #"{"success":false,"error":{"code":"insufficient_credits"}}"#, "permanent"),
        ("aiphoto", "purchase", 404, #"{"success":false,"error":{"code":"product_not_found"}}"#, "permanent"),
        ("aiphoto", "purchase", 404, #"{"success":false,"error":{"code":"not_found"}}"#, "transient"),
        ("lists-2026", "create_list", 422, #"{"error":{"code":"validation_error"}}"#, "permanent"),
        ("lists-2026", "create_list", 403, #"{"error":{"code":"not_authorized"}}"#, "forbidden"),
        ("lists-2026", "create_list", 404, #"{"error":{"code":"not_found"}}"#, "transient"),
    ])
    func judgesDeclaredCodesOnly(name: String, route: String, status: Int, body: String, verdict: String) throws {
        let backend = try #require(try ShippedProfiles.backends().first { $0.name == name })
        #expect(backend.verdict(on: answer(status, body), to: mutation(route), at: noon).name.rawValue == verdict)
    }

    @Test func measurementsProfilesAndFitTestsUseSeparateLanes() throws {
        let backend = try breathesafe()
        let fields: [String: JSONValue] = ["user_id": 5]
        let lanes = try ["measurement", "profile", "fit_test"].map { try backend.lane(route: $0, fields: fields) }
        #expect(Set(lanes).count == 3)
        #expect(try backend.after(route: "fit_test", fields: fields) == lanes[0])
        #expect(!backend.goesBehind(route: "fit_test"))
        // A fit test gets the newest measurement, so the order of these is data.
        for route in ["measurement", "manual_measurement"] {
            #expect(try backend.after(route: route, fields: fields) == lanes[2])
            #expect(backend.goesBehind(route: route) && backend.onDead(route: route) == .skipFailed)
        }
        #expect(backend.onDead(route: "fit_test") == .skip)
        // The last change must win.
        #expect(backend.onDead(route: "profile") == .halt)
    }

    /// A field may have another name in the other route.
    @Test(arguments: [("users/{item.person}", Mutation.OnDead.skipFailed), ("others/{item.user_id}", .skip), ("subject", .skip)])
    func onlyALaneThatAnotherRouteWaitsForKeepsItsOrder(after: String, onDead: Mutation.OnDead) throws {
        let backend = try breathesafe("after: users/{item.user_id}", "after: \(after)")
        #expect(backend.onDead(route: "measurement") == onDead)
    }

    @Test func recordsWhereTheServersEchoDiffers() throws {
        let backend = try breathesafe()
        let sent = mutation(payload: Data(#"{"average_measurements":{"1-2":{"value":1e300}},"marks":[1,null,3]}"#.utf8))
        func altered(_ arkit: String) -> String? {
            let verdict = backend.verdict(
                on: answer(201, #"{"facial_measurement":{"id":7,"arkit":\#(arkit)}}"#), to: sent, at: noon)
            if case .accepted(let receipt) = verdict { return receipt.altered }
            return "not accepted"
        }
        #expect(altered(#"{"average_measurements":{"1-2":{"value":1.0E300}},"marks":[1,null,3],"client_mutation_id":"a"}"#) == nil)
        #expect(altered(#"{"average_measurements":{"1-2":{"value":1e300}},"marks":[1,3]}"#) == "/marks/1")
        #expect(altered(#"{"average_measurements":{"1-2":{"value":null}},"marks":[1,null,3]}"#) == "/average_measurements/1-2/value")
    }

    @Test(arguments: [(98, true), (99, false)]) func refusesPayloadsNestedTooDeeply(levels: Int, isTaken: Bool) async throws {
        let nested = String(repeating: "[", count: levels - 1) + String(repeating: "]", count: levels - 1)
        let document = Data(#"{"average_measurements":{},"n":\#(nested)}"#.utf8)
        let backend = try breathesafe()
        let failure = await failure { () throws(Failure) in
            try backend.check(route: "measurement", fields: ["user_id": 5], payload: document)
        }
        #expect(failure?.message.contains("more than 98 levels") == (isTaken ? nil : true))
    }

    @Test func refusesPayloadsThatContainTheMarker() throws {
        let document = Data(#"{"average_measurements":{},"client_mutation_id":"mine"}"#.utf8)
        let failure = try #require(
            #expect(throws: Failure.self) {
                try breathesafe().check(route: "measurement", fields: ["user_id": 5], payload: document)
            })
        #expect(failure.message.contains("client_mutation_id"))
    }
}
