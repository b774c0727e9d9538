import Backends
import Foundation
import SyncModel
import Testing

struct ReferenceTests {
    private static let create = "0198c0de-0000-7000-8000-00000000000a"
    private static let token = "@\(create)"

    private func refusal(_ backend: Backend, _ route: String, _ fields: [String: JSONValue], _ document: String) async -> String? {
        await failure { () throws(Failure) in try backend.check(route: route, fields: fields, payload: Data(document.utf8)) }?.message
    }

    @Test func fieldWithReferenceTakesEntryInPlaceOfID() async throws {
        let backend = try breathesafe()
        for route in ["measurement", "profile", "fit_test"] {
            let document = route == "profile" ? #"{"first_name":"Anna"}"# : #"{"average_measurements":{}}"#
            #expect(await refusal(backend, route, ["user_id": .string(Self.token)], document) == nil)
        }
        let plain = try breathesafe("{type: integer, reference: managed_users}", "integer")
        #expect(await refusal(plain, "measurement", ["user_id": .string(Self.token)], "{}")?.contains("expected a whole number") == true)
        #expect(await refusal(backend, "measurement", ["user_id": "@5"], "{}")?.contains("expected a whole number") == true)
    }

    @Test func submittedReferenceIsInLowerCase() throws {
        let backend = try breathesafe()
        #expect(backend.fields(["user_id": Self.token.uppercased()], route: "measurement") == ["user_id": .string(Self.token)])
        #expect(backend.fields(["user_id": "5"], route: "measurement") == ["user_id": 5])
    }

    /// Only the subject is bound before the send.
    @Test func onlyFirstReferenceTakesEntry() async throws {
        let backend = try breathesafe(
            "fields: {user_id: {type: integer, reference: managed_users}}\n    json: {arkit_data: \"{item.payload}\"}",
            "fields: {user_id: {type: integer, reference: managed_users}, by: {reference: managed_users}}\n    json: {arkit_data: \"{item.payload}\", by: \"{item.by}\"}"
        )
        let words = await refusal(backend, "measurement", ["user_id": 5, "by": .string(Self.token)], #"{"average_measurements":{}}"#)
        #expect(
            words?.contains("The field \"by\"") == true && words?.contains("only \"user_id\" takes a reference") == true, "\(words ?? "")")
    }

    @Test func bindsIDInTheTypeOfTheField() throws {
        let backend = try breathesafe()
        let entry = mutation("fit_test", fields: ["user_id": .string(Self.token)])
        #expect(!backend.isBound(entry))
        let bound = try backend.bound(entry, to: "28")
        #expect(backend.isBound(bound) && bound.fields == ["user_id": 28])
        let request = try backend.request(for: bound)
        #expect(request.body.map { String(decoding: $0, as: UTF8.self) } == #"{"user":{"id":28},"fit_test":{}}"#)
        let url = try backend.request(for: backend.bound(mutation(fields: ["user_id": .string(Self.token)]), to: "28")).url
        #expect(url == "https://www.breathesafe.xyz/users/28/facial_measurements_from_arkit")
    }

    @Test(arguments: ["28-anna", "0", "05", "", "x"]) func refusesIDOfAnotherType(id: String) throws {
        let entry = mutation("fit_test", fields: ["user_id": .string(Self.token)])
        let failure = try #require(#expect(throws: Failure.self) { try breathesafe().bound(entry, to: RosterID(id)) })
        #expect(failure.reason == .profile)
    }

    @Test func refusesToBindFieldThatIsNoReferenceAnyMore() throws {
        let plain = try breathesafe("{type: integer, reference: managed_users}", "integer")
        var entry = mutation(fields: ["user_id": .string(Self.token)])
        entry.subject = RosterID(Self.token)
        #expect(!plain.isBound(entry))
        #expect(throws: Failure.self) { try plain.bound(entry, to: "28") }
        entry.fields = ["user_id": 28]
        #expect(plain.isBound(entry))
    }

    @Test func draftsOfUnboundEntriesFitTheProfile() throws {
        let entry = mutation(fields: ["user_id": .string(Self.token)])
        #expect(try breathesafe().misfit(of: entry) == nil)
    }

    @Test func lanesCanNameTheEntryAndTheGivenSubject() throws {
        let backend = try breathesafe()
        let id = try #require(MutationID(Self.create))
        #expect(try backend.lane(route: "create_managed_user", fields: [:], id: id) == Lane("managed_users/\(Self.create)"))
        let fields = backend.fields(["user_id": 28], route: "fit_test", as: RosterID(Self.token))
        #expect(try backend.lane(route: "fit_test", fields: fields) == Lane("fit_tests/\(Self.token)"))
        #expect(try backend.after(route: "fit_test", fields: fields) == Lane("users/\(Self.token)"))
        #expect(backend.fields(["name": "a"], route: "create_managed_user", as: "5") == ["name": "a"])
    }

    @Test func shippedProfilesSayWhichRoutesMakeAndChangeRows() throws {
        let backend = try breathesafe()
        let people = try #require(backend.resource("managed_users"))
        #expect(backend.actions(on: people).add == "create_managed_user" && backend.actions(on: people).change == "profile")
        #expect(backend.creates(route: "create_managed_user") == "managed_users" && backend.then(route: "create_managed_user") == "profile")
        #expect(backend.changes(route: "profile") == "managed_users" && backend.creates(route: "measurement") == nil)
        #expect(backend.form(route: "profile")?.prefix(2) == ["first_name", "last_name"] && backend.form(route: "measurement") == nil)
        for backend in try ShippedProfiles.backends() where backend.name.hasPrefix("lists") {
            let lists = try #require(backend.resource("lists"))
            #expect(backend.actions(on: lists).add == "create_list" && backend.actions(on: lists).change == "rename_list")
            #expect(backend.touches(route: "create_list") == ["lists"])
            #expect(backend.fieldsWithoutPayload(route: "create_list") == ["description", "name"])
            let tasks = try #require(backend.resource("tasks"))
            #expect(backend.actions(on: tasks).add == "create_task" && backend.actions(on: tasks).change == "edit_task")
            #expect(backend.actions(on: tasks).delete == "delete_task" && backend.needsConfirmation(route: "delete_task"))
            #expect(backend.touches(route: "complete_task") == ["tasks"] && backend.fieldsWithoutPayload(route: "rename_list") == nil)
            let fields: [String: JSONValue] = ["task_id": .string(Self.token)]
            let lanes = try ["edit_task", "complete_task", "reopen_task"].map { try backend.lane(route: $0, fields: fields) }
            #expect(Set(lanes).count == 1, "the changes of a task keep their order")
        }
    }

    @Test func formListsTheOnlyMembers() async throws {
        let backend = try breathesafe()
        #expect(await refusal(backend, "profile", ["user_id": 5], #"{"first_name":"Anna","last_name":"Example"}"#) == nil)
        let other = await refusal(backend, "profile", ["user_id": 5], #"{"first_name":"Anna","favourite_colour":"blue"}"#)
        #expect(
            other
                == "The payload for the route \"profile\" has the member \"favourite_colour\". It may only have these: first_name, last_name, year_of_birth, gender_and_sex, measurement_system."
        )
        // The server would refuse it in any case.
        #expect(
            await refusal(backend, "profile", ["user_id": 5], "{}")
                == "The payload for the route \"profile\" is empty; expected at least one of these members: first_name, last_name, year_of_birth, gender_and_sex, measurement_system."
        )
        #expect(await refusal(backend, "profile", ["user_id": 5], "[1]")?.contains("must be a JSON object with these members") == true)
    }

    @Test(arguments: [
        (#"{"year_of_birth":"abc"}"#, "year_of_birth", "a whole number from 1900 to 2100"),
        (#"{"year_of_birth":19800}"#, "year_of_birth", "a whole number from 1900 to 2100"),
        (#"{"first_name":"Anna","year_of_birth":"01980"}"#, "year_of_birth", "a whole number from 1900 to 2100"),
        (#"{"year_of_birth":1980,"year_of_birth":1980.5}"#, "year_of_birth", "a whole number from 1900 to 2100"),
        (#"{"measurement_system":"metrical"}"#, "measurement_system", "one of imperial, metric"),
        (#"{"measurement_system":["metric"]}"#, "measurement_system", "one of imperial, metric"),
        // The server would lose these, or store them as texts.
        (#"{"first_name":["Anna"]}"#, "first_name", "text"),
        (#"{"first_name":{"a":"Anna"}}"#, "first_name", "text"),
        (#"{"first_name":"Anna","last_name":5}"#, "last_name", "text"),
        (#"{"gender_and_sex":true}"#, "gender_and_sex", "text"),
    ])
    func refusesValuesThatTheProfileDoesNotDeclare(payload: String, member: String, expected: String) async throws {
        #expect(
            await refusal(try breathesafe(), "profile", ["user_id": 5], payload)
                == "The \(member.replacing("_", with: " ")) is not valid; expected \(expected).")
    }

    @Test(arguments: [
        #"{"year_of_birth":"1980"}"#, #"{"year_of_birth":1900,"measurement_system":"imperial"}"#, #"{"year_of_birth":null}"#,
        #"{"gender_and_sex":"abc"}"#, #"{"first_name":"","last_name":null}"#,
    ])
    func acceptsDeclaredValues(payload: String) async throws {
        #expect(await refusal(try breathesafe(), "profile", ["user_id": 5], payload) == nil)
    }

    @Test(arguments: [
        #"{"first_name":"","last_name":""}"#, #"{"first_name":" ","last_name":null,"year_of_birth":1980}"#,
        "{\"first_name\":\"\u{200b}\",\"last_name\":\"\"}", #"{"first_name":"Anna","first_name":"","last_name":""}"#,
    ])
    func refusesNewRowWithoutName(payload: String) async throws {
        let words = await refusal(try breathesafe(), "profile", ["user_id": "@0190a6b2-7c3e-7d4f-8a5b-6c7d8e9f0a1b"], payload)
        #expect(
            words == "The first name and the last name are blank. A new person needs a name.")
    }

    @Test(arguments: [
        #"{"first_name":"Anna","last_name":""}"#, #"{"first_name":"","last_name":"Li"}"#, #"{"year_of_birth":1980}"#, #"{"last_name":""}"#,
    ])
    func acceptsNewRowWithOneName(payload: String) async throws {
        #expect(await refusal(try breathesafe(), "profile", ["user_id": "@0190a6b2-7c3e-7d4f-8a5b-6c7d8e9f0a1b"], payload) == nil)
    }

    @Test func memberOfUnknownTypeTakesAnyScalar() async throws {
        for backend in try ShippedProfiles.backends() where backend.name.hasPrefix("lists") {
            for value in ["1", "\"high\"", "false", "null"] {
                #expect(await refusal(backend, "edit_task", ["task_id": 5], "{\"title\":\"Bread\",\"priority\":\(value)}") == nil)
            }
            for value in ["[1]", "{}"] {
                let words = await refusal(backend, "edit_task", ["task_id": 5], "{\"priority\":\(value)}")
                #expect(words?.hasSuffix("The priority is not valid; expected text, a number, true or false.") == true, "\(words ?? "")")
            }
            let date = await refusal(backend, "edit_task", ["task_id": 5], #"{"due_at":1765000000}"#)
            #expect(date?.hasSuffix("The due at is not valid; expected text.") == true, "\(date ?? "")")
            #expect(await refusal(backend, "edit_task", ["task_id": 5], #"{"due_at":"2026-12-01T12:00:00Z"}"#) == nil)
        }
    }

    @Test func newRowIsCalledAsSubmitted() throws {
        let people = try #require(try breathesafe().resource("managed_users"))
        func label(_ document: String) -> String? {
            people.label(of: people.labelParts(in: mutation("profile", payload: Data(document.utf8))))
        }
        #expect(label(#"{"first_name":"Anna","last_name":"Example"}"#) == "Anna Example")
        #expect(label(#"{"last_name":"Example","year_of_birth":"1980"}"#) == "Example")
        #expect(label(#"{"first_name":{"a":1},"last_name":null}"#) == nil)
        #expect(label("[]") == nil)
        let lists = try #require(try ShippedProfiles.backends().first { $0.name == "lists" }?.resource("lists"))
        #expect(lists.label(of: lists.labelParts(in: mutation("create_list", fields: ["name": "Shopping"], payload: nil))) == "Shopping")
    }
}
