import ControlAPI
import Foundation
import Testing

@testable import homing

@Suite struct SubjectArgumentTests {
    private static let rows = [
        ("28", "Anna Example"), ("31", "Anna Sample"), ("26", "Edit Me"), ("30", "Edit Me"), ("12", "7"), ("7", "Eve Lab"),
        (created, "Nora New"), ("32", "Una Two"), (created, "Una Two"),
        ("50", "Iris Cámple"), ("51", "Iris Cample"),
    ].map { RosterRow(id: $0.0, label: $0.1, values: [:], pending: $0.0.hasPrefix("@") ? "new" : nil) }

    private static func folded(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
    }

    private static let created = "@\(Sample.id(9))"
    private static let entries: [String: SubjectArgument.NamedEntry] = [
        "4b09": .init(id: Sample.id(9), subject: nil),
        "4b10": .init(id: Sample.id(10), subject: subject(id: created, isNew: true)),
        "4b11": .init(id: Sample.id(11), subject: subject(id: "40", reference: created)),
        "4b12": .init(id: Sample.id(12), subject: subject(id: "28")),
        "4b13": .init(id: Sample.id(13), subject: SubjectReport(resource: "lists", field: "list_id", id: created, isNew: true)),
    ]

    private static func subject(id: String, reference: String? = nil, isNew: Bool? = nil) -> SubjectReport {
        SubjectReport(resource: "managed_users", field: "user_id", id: id, label: "Anna", reference: reference, isNew: isNew)
    }

    private func roster(_ state: String = "complete", type: String = "integer", backend: String = "breathesafe") -> RosterReport {
        var report = Sample.roster(state, backend: backend, sentence: "Your people have not been read yet.")
        report.references = [FieldReference(route: "measurement", field: "user_id", type: type)]
        return report
    }

    private func resolved(
        _ value: String, field: String = "user_id", route: String = "measurement", option: String = "--user ", end: String = "",
        _ rosters: [RosterReport]? = nil
    ) async throws(Problem) -> String {
        let argument = SubjectArgument(rosters ?? [roster()], route: route) { query in
            let found = Self.rows.filter { row in
                if !query.ids.isEmpty { return query.ids.contains(row.id) }
                if let label = query.label { return Self.folded(row.label) == Self.folded(label) }
                return query.find.map { row.label.lowercased().contains($0.lowercased()) } ?? true
            }
            return RosterPage(roster: Sample.roster(), rows: Array(found.prefix(query.limit)), matching: found.count, next: nil)
        } entry: { name throws(Problem) in
            guard let entry = Self.entries[name] else { throw .notFound("There is no entry ‘\(name)’.") }
            return entry
        }
        return try await argument.resolved(ItemField(name: field, value: value), option: option, end: end).value
    }

    @Test(arguments: [("Anna Example", "28"), ("anna example", "28"), ("Eve Lab", "7"), ("7", "7"), ("99", "99"), ("-5", "-5")])
    func findsIDByNameAndKeepsNumber(value: String, id: String) async throws { #expect(try await resolved(value) == id) }

    @Test func unknownNameListsSimilarOnes() async throws {
        let problem = try #require(await #expect(throws: Problem.self) { try await resolved("Ana Example") })
        #expect(problem.detail == "No person is called ‘Ana Example’. Similar: Anna Example (28).")
        #expect(problem.code == .invalidRequest)
        #expect(
            problem.next == """
                To see all, run: homing people
                After a change at breathesafe, run: homing people --refresh
                """)
        var lists = roster(backend: "clinic")
        lists.references = nil
        let elsewhere = try #require(await #expect(throws: Problem.self) { try await resolved("Ana", [roster(), lists]) })
        #expect(elsewhere.next?.hasPrefix("To see all, run: homing people --backend breathesafe\n") == true)
        let stranger = try #require(await #expect(throws: Problem.self) { try await resolved("Xaver\u{1B}") })
        #expect(stranger.detail == "No person is called ‘Xaver ’.")
    }

    @Test func nameOfSeveralPeopleListsTheirIDs() async throws {
        let problem = try #require(await #expect(throws: Problem.self) { try await resolved("Edit Me") })
        #expect(problem.detail == "2 people are called ‘Edit Me’: Edit Me (26), Edit Me (30).")
        #expect(problem.next == "Give the id: --user ID" && problem.code == .invalidRequest)
        let item = try #require(await #expect(throws: Problem.self) { try await resolved("Edit Me", option: "--item user_id=") })
        #expect(item.next == "Give the id: --item user_id=ID")
        let edit = try #require(
            await #expect(throws: Problem.self) { try await resolved("Edit Me", option: "homing people edit ", end: " --first-name Anna") }
        )
        #expect(edit.next?.hasSuffix("\nhoming people edit 26 --first-name Anna\nhoming people edit 30 --first-name Anna") == true)
        let delete = try #require(
            await #expect(throws: Problem.self) { try await resolved("Edit Me", option: "homing people delete ", end: " --backend clinic") }
        )
        #expect(
            delete.next == """
                Run the command for the right one:
                homing people delete 26 --backend clinic
                homing people delete 30 --backend clinic
                """)
    }

    /// Copying the command from the answer must not lead to a measurement of another person.
    @Test func exactSpellingWins() async throws {
        #expect(try await resolved("Iris Cámple") == "50")
        #expect(try await resolved("Iris Cample") == "51")
        let problem = try #require(await #expect(throws: Problem.self) { try await resolved("iris cample") })
        #expect(problem.detail == "2 people are called ‘iris cample’: Iris Cámple (50), Iris Cample (51).")
        let rows = [RosterRow(id: "1", label: "Al", values: [:]), RosterRow(id: "2", label: "al", values: [:])]
        #expect(SubjectArgument.closest(rows, to: "al").map(\.id) == ["2"] && SubjectArgument.closest(rows, to: "AL").count == 2)
        // Another one may be spelled so too.
        #expect(SubjectArgument.closest(rows, to: "al", isWhole: false).count == 2)
    }

    @Test(arguments: ["unread", "signedOut"]) func namesCannotBeLookedUpWithoutList(state: String) async throws {
        let problem = try #require(await #expect(throws: Problem.self) { try await resolved("Anna Example", [roster(state)]) })
        #expect(problem.detail == "Names cannot be looked up. Your people have not been read yet.")
        #expect(problem.next == "Or give the id: --user ID")
        #expect(try await resolved("28", [roster(state)]) == "28")
    }

    @Test func fieldsAndRoutesWithoutReferenceStayAsTheyAre() async throws {
        #expect(try await resolved("Anna Example", field: "note") == "Anna Example")
        #expect(try await resolved("Anna Example", route: "note") == "Anna Example")
        #expect(try await resolved("", []) == "")
        // The daemon asks for the backend.
        #expect(try await resolved("Anna Example", [roster(), roster(backend: "clinic")]) == "Anna Example")
    }

    @Test func textFieldTakesAnyID() async throws {
        let text = roster(type: "text")
        #expect(try await resolved("Anna Example", [text]) == "28")
        #expect(try await resolved("a-new-id", [text]) == "a-new-id")
        #expect(try await resolved("a-new-id", [roster("unread", type: "text")]) == "a-new-id")
    }

    @Test func newPersonIsFoundByName() async throws {
        #expect(try await resolved("nora new") == Self.created)
        let problem = try #require(await #expect(throws: Problem.self) { try await resolved("Una Two") })
        #expect(problem.detail == "2 people are called ‘Una Two’: Una Two (32), Una Two (@3f2a91c04b09).")
        let similar = try #require(await #expect(throws: Problem.self) { try await resolved("Nora") })
        #expect(similar.detail == "No person is called ‘Nora’. Similar: Nora New (@3f2a91c04b09).")
    }

    @Test func shortReferenceBecomesAFullOne() async throws {
        #expect(try await resolved("@4b09") == Self.created)
        #expect(try await resolved("@4b09", field: "list_id") == "@4b09")
        // Without a list, too.
        #expect(try await resolved("@4b09", [roster("unread")]) == Self.created)
        let problem = await #expect(throws: Problem.self) { try await resolved("@ffff") }
        #expect(problem?.code == .notFound && problem?.detail == "The person ‘@ffff’ is unknown. There is no entry ‘ffff’.")
    }

    @Test func fullReferenceNeedsNoLookUp() async throws {
        #expect(try await resolved("@\(Sample.id(77).uppercased())") == "@\(Sample.id(77))")
    }

    /// ‘homing list’ shows the entry with the person's details under the person's name.
    @Test func referenceToAnEntryAboutTheNewPersonMeansThePerson() async throws {
        #expect(try await resolved("@4b10") == Self.created)
        #expect(try await resolved("@4b11") == Self.created)
        // The daemon refuses these.
        #expect(try await resolved("@4b12") == "@\(Sample.id(12))")
        #expect(try await resolved("@4b13") == "@\(Sample.id(13))")
    }

    @Test func textThatIsNoReferenceIsAName() async throws {
        let problem = await #expect(throws: Problem.self) { try await resolved("@home") }
        #expect(problem?.detail == "No person is called ‘@home’.")
        #expect(try await resolved("@ffff", [roster(type: "text")]) == "@ffff")
    }
}
