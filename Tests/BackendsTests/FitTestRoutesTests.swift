import Backends
import Foundation
import SyncModel
import Testing

/// The routes of BreatheSafe that change and delete a fit test, and the one for a measurement that a person types in.
struct FitTestRoutesTests {
    private let edit = mutation("edit_fit_test", fields: ["user_id": 28, "fit_test_id": 14])
    private let delete = mutation("delete_fit_test", fields: ["fit_test_id": 14], payload: nil)

    private func row(_ id: RosterID, of user: JSONValue) -> RosterRow {
        RosterRow(id: id, label: "Anna Example", folded: "anna example", kept: [user])
    }

    @Test func changesOnlyTheFitTestOfThePerson() throws {
        let backend = try breathesafe()
        let (own, other) = (row("14", of: 28), row("15", of: 28))
        #expect(try backend.row(for: edit, in: [other, own]) == .one(own))
        #expect(try backend.row(for: edit, in: [row("14", of: 29), other]) == .absent)
        #expect(try backend.request(for: edit, row: own).url.hasSuffix("/fit_tests/14"))
        #expect(throws: Failure.self) { try backend.request(for: edit) }
        #expect(!backend.isDoneIfAbsent(route: edit.route) && backend.subject(route: edit.route, fields: edit.fields) == "28")
    }

    @Test func deletesByTheNumberOfTheFitTest() throws {
        let backend = try breathesafe()
        let tests = try #require(backend.resource("fit_tests"))
        #expect(backend.actions(on: tests).delete == delete.route && backend.needsConfirmation(route: delete.route))
        #expect(try backend.row(for: delete, in: [row("28", of: 14)]) == .absent)
        #expect(try backend.request(for: delete, row: row("14", of: 28)).url.hasSuffix("/fit_tests/14"))
        #expect(throws: Failure.self) { try backend.request(for: delete) }
        #expect(backend.touches(route: delete.route) == ["fit_tests"] && backend.touches(route: "fit_test") == ["fit_tests"])
    }

    /// The captured answers: 204 without a body, and an empty list of messages.
    @Test func capturedAnswersCountAsDelivered() throws {
        let backend = try breathesafe()
        #expect(backend.verdict(on: answer(204), to: edit, at: noon).name == .accepted)
        #expect(backend.verdict(on: answer(200, #"{"messages":[]}"#), to: delete, at: noon).name == .accepted)
        // The second time, and for another manager's.
        #expect(backend.verdict(on: answer(404, #"{"status":404,"error":"Not Found"}"#), to: delete, at: noon).name == .transient)
        for entry in [edit, delete] {
            #expect(backend.verdict(on: answer(401, #"{"messages":["Unauthorized."]}"#), to: entry, at: noon).name == .unauthorized)
        }
    }

    @Test func changesOfAFitTestShareALane() throws {
        let backend = try breathesafe()
        let lanes = try [edit, delete].map { try backend.lane(route: $0.route, fields: $0.fields) }
        #expect(lanes[0] == lanes[1])
        #expect(backend.onDead(route: edit.route) == .halt && backend.onDead(route: delete.route) == .skip)
    }

    @Test func manualMeasurementNamesOneUserInPathAndBody() throws {
        let backend = try breathesafe()
        let fields: [String: JSONValue] = ["user_id": 28, "face_width": "140"]
        let request = try backend.request(for: mutation("manual_measurement", fields: fields, payload: nil))
        #expect(request.url.hasSuffix("/users/28/facial_measurements"))
        #expect(
            request.body.map { String(decoding: $0, as: UTF8.self) }
                == #"{"facial_measurement":{"user_id":28,"face_width":"140"}}"#)
        let lane = try backend.lane(route: "manual_measurement", fields: fields)
        #expect(try backend.after(route: "fit_test", fields: ["user_id": 28]) == lane)
        #expect(backend.isAtMostOnce(route: "manual_measurement"))
    }

    @Test func manualMeasurementOfAnotherUserIsNoDelivery() throws {
        let entry = mutation("manual_measurement", fields: ["user_id": 28, "face_width": "140"], payload: nil)
        func verdict(of user: Int) throws -> String {
            let body = #"{"facial_measurement":{"id":4,"user_id":\#(user)},"messages":[]}"#
            return try breathesafe().verdict(on: answer(201, body), to: entry, at: noon).name.rawValue
        }
        #expect(try verdict(of: 28) == "accepted")
        #expect(try verdict(of: 29) == "unknown")
    }

    /// It could name another user, and the server would store the row there.
    @Test func manualMeasurementTakesNoPayload() throws {
        let backend = try breathesafe()
        #expect(throws: Never.self) { try backend.check(route: "manual_measurement", fields: ["user_id": 28], payload: nil) }
        let payload = Data(#"{"user_id":29,"face_width":"140"}"#.utf8)
        #expect(throws: Failure.self) { try backend.check(route: "manual_measurement", fields: ["user_id": 28], payload: payload) }
    }
}
