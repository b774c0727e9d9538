import Backends
import Foundation
import SyncModel
import Testing

/// Routes that read the row of an entry before they send it.
struct DeletingTests {
    private static let route = "delete_managed_user"

    private func row(_ id: RosterID, number: JSONValue, managed: JSONValue? = nil) -> RosterRow {
        let managed = managed ?? JSONValue(number: id.rawValue)
        return RosterRow(id: id, label: "Anna", folded: "anna", kept: [number, managed, "Anna", .null, 0])
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

    /// Captures and new rows overwrite nothing.
    @Test func shippedProfileSaysWhichRoutesAlterARow() throws {
        let backend = try breathesafe()
        let routes = backend.routes.filter { backend.altersRow(route: $0) }
        #expect(routes == ["delete_fit_test", "delete_managed_user", "edit_fit_test", "profile"])
        #expect(!backend.altersRow(route: "unknown") && backend.altering(like: "measurement").isEmpty)
        #expect(backend.altering(like: "profile") == Set(routes))
    }

    /// The server says the same to a wrong number and to a second delete.
    @Test(arguments: [404, 403, 422, 500]) func noRefusalOfTheDeleteCountsAsDone(status: Int) throws {
        let response = answer(status, #"{"managed_users":[],"messages":["Managed user not found."]}"#)
        #expect(try breathesafe().verdict(on: response, to: delete, at: noon).name == .transient)
        let done = answer(200, #"{"managed_users":[],"messages":["User deleted successfully."]}"#)
        #expect(try breathesafe().verdict(on: done, to: delete, at: noon).name == .accepted)
    }

    @Test func findsTheOneRow() throws {
        let backend = try breathesafe()
        let (anna, other) = (row("28", number: 23), row("23", number: 28))
        #expect(try backend.row(for: delete, in: [other, anna]) == .one(anna))
        #expect(try backend.row(for: delete, in: [other]) == .absent)
        #expect(try backend.row(for: delete, in: []) == .absent)
    }

    private static let spellings = [.number("28.0"), .number("2.8e1"), .number("280E-1")] as [JSONValue]

    @Test(arguments: spellings) func numbersAreComparedByTheirValue(managed: JSONValue) throws {
        let anna = row("28", number: 23, managed: managed)
        #expect(try breathesafe().row(for: delete, in: [row("7", number: 5), anna]) == .one(anna))
    }

    private func refusal(_ rows: [RosterRow], _ backend: Backend? = nil, of entry: Mutation? = nil) throws -> String {
        let found = try (backend ?? breathesafe()).row(for: entry ?? delete, in: rows)
        guard case .unfit(let failure) = found, failure.reason == .profile else { throw Failure(.profile, "\(found)") }
        return failure.message
    }

    @Test func severalRowsFitNone() throws {
        let message = try refusal([row("28", number: 23), row("7", number: 5), row("28", number: 24)])
        #expect(
            message
                == "2 people at breathesafe fit this entry (rows 23, 24), so it is not known which one is meant. Nothing was deleted.")
    }

    @Test(arguments: spellings + ["28", "028", " 28 ", "28-anna", "person 28", "２８", .number("28.00000000000000000000001")])
    func severalSpellingsOfOneNumberFitNone(managed: JSONValue) throws {
        let message = try refusal([row("28", number: 23), row("x", number: 24, managed: managed)])
        #expect(message.hasPrefix("2 people at breathesafe fit this entry (rows 23, 24)"), "\(message)")
    }

    /// A server that changed the type of an id has not deleted anybody.
    @Test(
        arguments: [
            "28", "028", "28.0", "2.8e1", " 28 ", "+28", "28-anna", "person 28", "２８", .number("28.00000000000000000000001"),
        ] as [JSONValue])
    func otherSpellingOfTheIDIsNoAbsence(managed: JSONValue) throws {
        let message = try refusal([row("7", number: 5), row("x", number: 23, managed: managed)])
        #expect(
            message.contains("(row 23)") && message.contains(" at /managed_id, which may be another spelling of 28."), "\(message)")
        #expect(message.hasSuffix("Nothing was deleted."), "\(message)")
    }

    @Test(arguments: ["128", "280", "2", "anna", "anna 7", 8, -28, .number("28.5"), .number("1e30")] as [JSONValue])
    func otherIDIsAnAbsence(managed: JSONValue) throws {
        #expect(try breathesafe().row(for: delete, in: [row("x", number: 23, managed: managed)]) == .absent)
    }

    /// Neighbours that are one double are two numbers.
    @Test func largeNumbersAreComparedExactly() throws {
        let large = mutation(Self.route, fields: ["user_id": 9_007_199_254_740_993], payload: nil)
        #expect(try breathesafe().row(for: large, in: [row("9007199254740992", number: 23)]) == .absent)
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

    /// The shipped profile with texts as ids of people.
    private func texts() throws -> Backend {
        let reference = "reference: managed_users}}"
        let text = shippedProfile.replacing("fields: {user_id: {type: integer, \(reference)", with: "fields: {user_id: {\(reference)")
        return try load(["breathesafe.yaml": text])[0]
    }

    @Test func textsAreTheSameIDOnlyByTheirBytes() throws {
        let (backend, entry) = (try texts(), mutation(Self.route, fields: ["user_id": "é"], payload: nil))
        let same = row("a", number: 23, managed: "é")
        let others = ["e\u{301}", "É", " é ", "e"].map { row("b", number: 24, managed: .string($0)) }
        for other in others {
            #expect(try refusal([other], backend, of: entry).contains("may be another spelling of é."))
            // A server may tell such texts apart.
            #expect(try backend.row(for: entry, in: [other, same]) == .one(same))
        }
        #expect(try backend.row(for: entry, in: [row("c", number: 25, managed: "f")]) == .absent)
        #expect(try refusal([same, same], backend, of: entry).hasPrefix("2 people at breathesafe fit this entry (rows 23, 23)"))
    }

    @Test func textAndNumberAreOneIDIfTheEntryHasAText() throws {
        let (backend, entry) = (try texts(), mutation(Self.route, fields: ["user_id": "28"], payload: nil))
        for managed in ["28", 28, .number("28.0")] as [JSONValue] {
            let anna = row("28", number: 23, managed: managed)
            #expect(try backend.row(for: entry, in: [anna]) == .one(anna))
        }
        for managed in ["028", "28.0"] as [JSONValue] {
            #expect(try refusal([row("28", number: 23, managed: managed)], backend, of: entry).contains("another spelling of 28."))
        }
    }
}
