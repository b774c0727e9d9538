import ControlAPI
import Testing

@testable import homing

/// A person belongs to the backend, and a name to the account, of the list that has it.
@Suite struct PersonArgumentTests {
    private static let rows = [
        ("breathesafe", "28", "Anna Example"), ("clinic", "7", "Anna Example"), ("clinic", "8", "Ben Sample"),
        ("clinic", "9", "Ben Sample"), ("breathesafe", "10", "cleo lab"), ("clinic", "11", "Cleo Lab"),
        ("clinic", "@\(Sample.id(9))", "Nora New"),
    ]

    private func list(_ backend: String, _ state: String = "complete") -> RosterReport {
        var report = Sample.roster(state, backend: backend, sentence: "Your people have not been read yet.")
        report.account = "5"
        report.references = [FieldReference(route: "measurement", field: "user_id", type: "integer")]
        return report
    }

    private func person(
        _ text: String, at backend: String? = nil, inAll: Bool = false, _ lists: [RosterReport]
    ) async throws(Problem) -> SubjectArgument.Person {
        try await SubjectArgument.person(text, at: backend, in: lists, for: "homing list", inAll: inAll) { route in
            SubjectArgument(lists, route: route) { query in
                let rows = Self.rows.filter { $0.0 == query.backend && $0.2.lowercased() == query.label?.lowercased() }
                    .map { RosterRow(id: $0.1, label: $0.2, values: [:]) }
                return RosterPage(roster: Sample.roster(), rows: rows, matching: rows.count, next: nil)
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

    /// A bulk discard must not take another backend's person for the one that was meant.
    @Test func nameMayBeMeantInAListThatCannotBeSearched() async throws {
        let lists = [list("breathesafe"), list("clinic", "unread")]
        #expect(try await person("Anna Example", lists).backend == "breathesafe")
        let problem = try #require(
            await #expect(throws: Problem.self) { try await person("Anna Example", inAll: true, lists) })
        #expect(problem.detail.hasPrefix("At clinic, names cannot be looked up, and ‘Anna Example’ may be meant there."))
        #expect(try await person("Anna Example", inAll: true, [list("breathesafe")]).backend == "breathesafe")
    }

    private func problem(_ text: String, _ lists: [RosterReport]) async throws -> Problem {
        try #require(await #expect(throws: Problem.self) { try await person(text, lists) })
    }

    @Test(arguments: [("28", "28"), ("@\(Sample.id(9))", "@3f2a91c04b09")]) func idMayBeAPersonInEachList(
        text: String, shown: String
    ) async throws {
        let problem = try await problem(text, [list("breathesafe"), list("clinic")])
        #expect(problem.detail == "There is more than one list of people: at breathesafe and clinic.")
        #expect(
            problem.next == """
                Run the command for the right one:
                homing list --user \(shown) --backend breathesafe
                homing list --user \(shown) --backend clinic
                """)
    }

    @Test func nameIsSearchedInAllLists() async throws {
        let lists = [list("breathesafe"), list("clinic")]
        let nora = try await person("nora new", lists)
        #expect(nora == SubjectArgument.Person(id: "@\(Sample.id(9))", backend: "clinic", account: "5"))
        let both = try await problem("Anna Example", lists)
        #expect(both.detail == "2 people are called ‘Anna Example’: Anna Example (28) at breathesafe and Anna Example (7) at clinic.")
        #expect(
            both.next == """
                Run the command for the right one:
                homing list --user 28 --backend breathesafe
                homing list --user 7 --backend clinic
                """)
        let one = try await problem("Ben Sample", lists)
        #expect(one.detail == "2 people are called ‘Ben Sample’: Ben Sample (8) at clinic and Ben Sample (9) at clinic.")
        #expect(try await person("anna example", [list("breathesafe", "unread"), list("clinic")]).id == "7")
        #expect(try await person("Cleo Lab", lists).id == "11")
        #expect(try await problem("CLEO LAB", lists).detail.hasPrefix("2 people are called ‘CLEO LAB’: cleo lab (10) at breathesafe and "))
        let nobody = try await problem("Xaver", lists)
        #expect(nobody.detail == "No person at breathesafe and clinic is called ‘Xaver’.")
        #expect(
            nobody.next == "To see all, run: homing people --backend breathesafe\nTo see all, run: homing people --backend clinic")
    }

    @Test func listThatIsNotReadIsLeftOut() async throws {
        let lists = [list("breathesafe"), list("clinic", "unread")]
        #expect(try await person("Anna Example", lists).id == "28")
        let nobody = try await problem("Nora New", lists)
        #expect(
            nobody.detail
                == "No person at breathesafe is called ‘Nora New’. At clinic, names cannot be looked up. Your people have not been read yet."
        )
        let none = try await problem("Nora New", [list("breathesafe", "unread"), list("clinic", "signedOut")])
        #expect(none.detail.hasPrefix("Names cannot be looked up. At breathesafe, ") && none.next == "Give the person's id, and --backend.")
    }
}
