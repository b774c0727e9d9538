import Foundation
import SyncModel
import TestSupport
import Testing

@testable import Backends

/// A success whose head arrived and whose body did not.
struct BrokenAnswerTests {
    private static let routes = """
        routes:
          plain: {request: POST /plain, json: "{item.payload}", remote_id: /id}
          once: {request: POST /once, json: "{item.payload}", delivery: at-most-once}
          put: {request: PUT /put, json: "{item.payload}"}
          checked: {request: POST /checked, json: "{item.payload}", promises: /data}
          kept: {request: POST /kept, json: "{item.payload}", promises: /data, delivery: repeatable}
          found:
            request: POST /found
            json: "{item.payload}"
            marker: /key
            remote_id: /id
            find: {request: GET /found, list: /items, match: /key, remote_id: /id}
          person: {request: POST /people, json: {name: "{item.name}"}, creates: people, remote_id: /id, delivery: at-most-once}
          spare: {request: PUT /people, json: {name: "{item.name}"}, creates: people, remote_id: /id}
        resources:
          people: {request: GET /people, list: /people, id: /id}

        """

    private func verdict(_ route: String, _ rest: String = "", at address: String = "https://lab.test") throws -> Verdict? {
        let profile = Samples.cookieProfile(Self.routes + rest).replacingOccurrences(of: "https://lab.test", with: address)
        let backend = try load(["breathesafe.yaml": profile])[0]
        let isCreate = route == "person" || route == "spare"
        let entry = mutation(route, fields: isCreate ? ["name": "Anna"] : [:], payload: isCreate ? nil : Data("{}".utf8))
        return backend.verdict(onHeadOf: 201, to: entry, at: noon)
    }

    @Test(arguments: ["plain", "once"]) func headOfSuccessIsDelivery(route: String) throws {
        #expect(try verdict(route) == .accepted(Receipt(remoteID: nil, status: 201, at: noon)))
    }

    /// The row exists, so a second send would make another one. Its id must come from a person.
    @Test func createdRowWithoutItsIDIsHeldAndNotSentAgain() throws {
        let message = "breathesafe answered 201, but the rest of its answer, which has the id of the new row, did not arrive."
        #expect(try verdict("person") == .unknown(Failure(.refused, status: 201, message, outcomeUnknown: true)))
    }

    @Test func successThatTheProfileChecksIsHeldAndNotSentAgain() throws {
        let message = "breathesafe answered 201, but the rest of its answer, which shows whether it did this, did not arrive."
        #expect(try verdict("checked") == .unknown(Failure(.refused, status: 201, message, outcomeUnknown: true)))
    }

    /// A look-up or a harmless resend proves more: a broken answer may be a proxy's.
    @Test(arguments: ["found", "put", "kept", "spare"]) func headDecidesNothingWhereTheEntryCanBeSettledOtherwise(route: String) throws {
        #expect(try verdict(route) == nil)
    }

    /// A proxy may have written it.
    @Test(arguments: ["plain", "once", "checked", "person"]) func headDecidesNothingWithoutTLS(route: String) throws {
        #expect(try verdict(route, at: "http://127.0.0.1:8080") == nil)
    }

    /// The rest of the answer may have been a refusal.
    @Test(arguments: ["plain", "once", "checked", "person"]) func headDecidesNothingIfTheBodyMayRefuse(route: String) throws {
        #expect(try verdict(route, "errors: {ok: /success}\n") == nil)
    }
}
