import ControlAPI
import Testing

@testable import homing

/// A person belongs to the backend, and a name to the account, of the list that has it.
@Suite struct PersonArgumentTests {
    private func list(_ backend: String) -> RosterReport {
        var report = Sample.roster(backend: backend)
        report.account = "5"
        report.references = [FieldReference(route: "measurement", field: "user_id", type: "integer")]
        return report
    }

    private func person(_ text: String, at backend: String? = nil, _ lists: [RosterReport]) async throws(Problem) -> SubjectArgument.Person
    {
        try await SubjectArgument.person(text, at: backend, in: lists) { route in
            SubjectArgument(lists, route: route) { _ in
                RosterPage(
                    roster: Sample.roster(), rows: [RosterRow(id: "28", label: "Anna Example", values: [:])], matching: 1, next: nil)
            } entry: { name in
                SubjectArgument.NamedEntry(id: name, subject: nil)
            }
        }
    }

    @Test func nameStandsForAPersonOfOneBackendAndAccount() async throws {
        let anna = try await person("Anna Example", [list("breathesafe")])
        #expect(anna == SubjectArgument.Person(id: "28", backend: "breathesafe", account: "5"))
    }

    @Test func idStandsForAPersonOfOneBackend() async throws {
        #expect(try await person("28", [list("breathesafe")]) == SubjectArgument.Person(id: "28", backend: "breathesafe"))
        #expect(try await person("28", []) == SubjectArgument.Person(id: "28"))
        #expect(try await person("28", at: "lists", []) == SubjectArgument.Person(id: "28", backend: "lists"))
        let reference = "@\(Sample.id(9))"
        #expect(try await person(reference, [list("breathesafe")]) == SubjectArgument.Person(id: reference, backend: "breathesafe"))
    }

    @Test(arguments: ["28", "Anna Example"]) func backendMustBeNamedIfSeveralHavePeople(text: String) async throws {
        let problem = try #require(
            await #expect(throws: Problem.self) { try await person(text, [list("breathesafe"), list("labloop")]) })
        #expect(problem.detail == "There is more than one list of people: at breathesafe and labloop.")
    }
}
