import Backends
import SyncModel
import Testing

@Suite struct GoneTests {
    private let route = """
          remove:
            request: DELETE /managed_users/{item.row}
            fields: {row: integer}
            gone: ["Managed user not found."]

        """

    private func backend(_ old: String = "remove", _ new: String = "remove") throws -> Backend {
        try breathesafe("resources:\n", route.replacing(old, with: new) + "resources:\n")
    }

    @Test(arguments: [404, 410]) func acceptsDeclaredCodeAsDone(status: Int) throws {
        let response = answer(status, #"{"managed_users":[],"messages":["Managed user not found."]}"#)
        let verdict = try backend().verdict(on: response, to: mutation("remove", fields: ["row": 6], payload: nil), at: noon)
        #expect(verdict == .accepted(Receipt(remoteID: nil, status: status, at: noon)))
    }

    @Test(arguments: [
        (404, #"{"status":404,"error":"Not Found"}"#), (404, "{}"), (404, #"{"messages":["No such page."]}"#), (404, #"{"messages":[]}"#),
        (403, #"{"messages":["Managed user not found."]}"#), (422, #"{"messages":["Managed user not found."]}"#),
        (500, #"{"messages":["Managed user not found."]}"#),
    ])
    func doesNotAcceptOtherRefusalsAsDone(status: Int, body: String) throws {
        let verdict = try backend().verdict(
            on: answer(status, body), to: mutation("remove", fields: ["row": 6], payload: nil), at: noon)
        #expect(verdict.name == .transient, "\(verdict)")
        #expect(try backend().verdict(on: answer(404, "<html>", type: "text/html"), to: mutation("remove"), at: noon).name != .accepted)
    }

    @Test func doesNotAccept404AsDoneWithoutDeclaration() throws {
        let response = answer(404, #"{"managed_users":[],"messages":["Managed user not found."]}"#)
        let backend = try backend("gone: [\"Managed user not found.\"]", "lane: rows")
        #expect(backend.verdict(on: response, to: mutation("remove", fields: ["row": 6], payload: nil), at: noon).name == .transient)
    }

    @Test func refusesGoneOnRoutesThatDeleteNothing() throws {
        #expect(throws: Mistakes.self) { try backend("DELETE /managed_users", "POST /managed_users") }
    }

    /// The numbers of persons and rows are easily confused.
    @Test func shippedProfilesDeleteOnlyRowsThatAreReadBefore() throws {
        for backend in try ShippedProfiles.backends() {
            let deletes = backend.routes.filter { $0.hasPrefix("delete") || backend.deletes(route: $0) != nil }
            let isSafe = deletes.allSatisfy { backend.freshResource(route: $0) != nil && backend.needsConfirmation(route: $0) }
            #expect(isSafe, "\(backend.name)")
            #expect(!String(decoding: backend.document, as: UTF8.self).contains("\"gone\":"), "\(backend.name)")
        }
    }
}
