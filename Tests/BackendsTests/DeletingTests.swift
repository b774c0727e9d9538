import Backends
import Foundation
import SyncModel
import Testing

/// Routes that read the row of an entry before they send it.
struct DeletingTests {
    private static let route = "delete_managed_user"

    private func row(_ id: RosterID, number: JSONValue, managed: JSONValue? = nil) -> RosterRow {
        RosterRow(id: id, label: "Anna", folded: "anna", kept: [number, managed ?? .string(id.rawValue), "Anna", .null, 0])
    }

    private let delete = mutation(DeletingTests.route, fields: ["user_id": 28], payload: nil)

    @Test func shippedProfileDeletesByTheNumberOfTheRow() throws {
        let backend = try breathesafe()
        let request = try backend.request(for: delete, row: row("28", number: 23))
        #expect(request.method == "DELETE" && request.url.hasSuffix("/managed_users/23") && request.body == nil)
        // Without a row there is no request.
        #expect(throws: Failure.self) { try backend.request(for: delete) }
        #expect(backend.misfit(of: delete) == nil)
        #expect(throws: Never.self) { try backend.check(route: Self.route, fields: ["user_id": 28], payload: nil) }
        #expect(throws: Failure.self) { try backend.check(route: Self.route, fields: ["user_id": "28-anna"], payload: nil) }
        #expect(throws: Failure.self) { try backend.check(route: Self.route, fields: ["user_id": 28], payload: Data("{}".utf8)) }
    }

    @Test func shippedProfileSaysHowPeopleAreDeleted() throws {
        let backend = try breathesafe()
        let people = try #require(backend.resource("managed_users"))
        #expect(backend.actions(on: people).delete == Self.route && backend.deletes(route: "profile") == nil)
        #expect(backend.freshResource(route: Self.route)?.name == people.name && backend.freshResource(route: "profile") == nil)
        #expect(backend.needsConfirmation(route: Self.route) && backend.isDoneIfAbsent(route: Self.route))
        #expect(!backend.needsConfirmation(route: "profile") && !backend.isDoneIfAbsent(route: "profile"))
        #expect(backend.goesAfterSubject(route: Self.route) && !backend.goesAfterSubject(route: "fit_test"))
        #expect(try backend.after(route: Self.route, fields: ["user_id": 28]) == nil)
        #expect(backend.touches(route: Self.route) == ["managed_users"])
        #expect(backend.isIdempotent(route: Self.route) && !backend.canLookUp(route: Self.route))
    }

    /// The server says the same to a wrong number and to a second delete.
    @Test(arguments: [404, 403, 422, 500]) func noRefusalOfTheDeleteCountsAsDone(status: Int) throws {
        let response = answer(status, #"{"managed_users":[],"messages":["Managed user not found."]}"#)
        #expect(try breathesafe().verdict(on: response, to: delete, at: noon).name == "transient")
        let done = answer(200, #"{"managed_users":[],"messages":["User deleted successfully."]}"#)
        #expect(try breathesafe().verdict(on: done, to: delete, at: noon).name == "accepted")
    }

    @Test func findsTheOneRow() throws {
        let backend = try breathesafe()
        let (anna, other) = (row("28", number: 23), row("23", number: 28))
        #expect(try backend.row(for: delete, in: [other, anna]) == .one(anna))
        #expect(try backend.row(for: delete, in: [other]) == .absent)
        #expect(try backend.row(for: delete, in: []) == .absent)
        // Numbers and texts are the same id.
        let number = row("28", number: 23, managed: 28)
        #expect(try backend.row(for: delete, in: [number]) == .one(number))
    }

    @Test func severalRowsFitNone() throws {
        let found = try breathesafe().row(for: delete, in: [row("28", number: 23), row("28", number: 24)])
        guard case .unfit(let failure) = found else { throw Failure(.profile, "\(found)") }
        #expect(failure.reason == .profile && failure.message.hasPrefix("2 people at breathesafe fit this entry"))
    }

    @Test(arguments: [.null, .bool(true), 0, -1, "", " 23", "23-anna", "x", .number("23.5")] as [JSONValue])
    func rowWithoutAUsableNumberIsNeverSent(number: JSONValue) throws {
        let found = try breathesafe().row(for: delete, in: [row("28", number: number)])
        guard case .unfit(let failure) = found else { throw Failure(.profile, "\(found)") }
        #expect(failure.reason == .profile)
        #expect(throws: Failure.self) { try breathesafe().request(for: delete, row: row("28", number: number)) }
    }

    /// If the server renamed the member, every row would seem to be another's.
    @Test(arguments: [.null, .bool(true), "", .array([])] as [JSONValue])
    func listWithoutTheComparedValueProvesNothing(managed: JSONValue) throws {
        let found = try breathesafe().row(for: delete, in: [row("28", number: 23), row("7", number: 5, managed: managed)])
        guard case .unreadable = found else { throw Failure(.profile, "\(found)") }
    }

    @Test(arguments: ["é", "e\u{301}"]) func comparesIDsByTheirBytes(id: String) throws {
        let reference = "reference: managed_users}}"
        let text = shippedProfile.replacing("fields: {user_id: {type: integer, \(reference)", with: "fields: {user_id: {\(reference)")
        let entry = mutation(Self.route, fields: ["user_id": "é"], payload: nil)
        let found = try load(["breathesafe.yaml": text])[0].row(for: entry, in: [row(RosterID(id), number: 23)])
        #expect((found == .absent) == (id.utf8.count == 3))
    }
}
