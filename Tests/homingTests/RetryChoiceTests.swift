import ControlAPI
import Testing

@testable import homing

@Suite struct RetryChoiceTests {
    private static let row = SubjectReport(
        resource: "managed_users", field: "user_id", id: "@\(Sample.id(1))", label: "Anna Example", isNew: true)

    private static func create(_ hold: String = "forbidden", uncertain: Bool = false) -> EntrySummary {
        var create = Sample.entry(1, "held", hold: hold, subject: row)
        (create.route, create.uncertain, create.canBeLookedUp) = ("create_managed_user", uncertain, false)
        create.retryMayDuplicate = uncertain ? true : nil
        return create
    }

    private static func dependent(_ number: Int, _ hold: String = "dependency") -> EntrySummary {
        var entry = Sample.entry(number, "held", hold: hold, subject: row)
        entry.needs = Sample.id(1)
        return entry
    }

    private func choice(
        _ entries: [EntrySummary], skipsDoubtful: Bool = true, createIs state: String? = "dead"
    ) async throws(Problem) -> RetryChoice {
        try await RetryChoice(entries, skipsDoubtful: skipsDoubtful) { _ in state }
    }

    @Test func leavesOutEntriesThatAreBeingDiscarded() async throws {
        let choice = try await choice([Sample.entry(3, "held", hold: "forbidden"), Sample.entry(4, "held", hold: "discarding")])
        #expect(choice.retried.map(\.sequence) == [3] && choice.doubtful.isEmpty && choice.stranded.isEmpty)
    }

    @Test(arguments: ["dead", "held", "discarded", nil]) func skipsDependentsOfACreateThatIsNotRetried(state: String?) async throws {
        let choice = try await choice([Self.dependent(2), Sample.entry(3, "held", hold: "forbidden")], createIs: state)
        #expect(choice.retried.map(\.sequence) == [3] && choice.stranded.map(\.sequence) == [2])
    }

    @Test(arguments: ["pending", "inflight", "delivered"]) func retriesDependentsOfACreateOnItsWay(state: String) async throws {
        #expect(try await choice([Self.dependent(2)], createIs: state).retried.map(\.sequence) == [2])
    }

    @Test func retriesDependentsWithTheirCreate() async throws {
        #expect(try await choice([Self.create(), Self.dependent(2)]).retried.map(\.sequence) == [1, 2])
    }

    @Test func skipsDependentsOfADoubtfulCreate() async throws {
        let entries = [Self.create("unknownOutcome", uncertain: true), Self.dependent(2)]
        let choice = try await choice(entries)
        #expect(choice.retried.isEmpty && choice.doubtful.map(\.sequence) == [1] && choice.stranded.map(\.sequence) == [2])
        #expect(try await self.choice(entries, skipsDoubtful: false).retried.map(\.sequence) == [1, 2])
    }

    /// For example a change that may be sent twice.
    @Test func retriesDoubtfulEntriesThatMakeNoSecondOne() async throws {
        var entry = Sample.entry(1, "held", hold: "forbidden")
        (entry.uncertain, entry.canBeLookedUp) = (true, false)
        #expect(try await choice([entry]).retried.map(\.sequence) == [1])
    }

    @Test func skipsDependentsOfADiscardedCreate() async throws {
        let choice = try await choice([Self.create("discarding"), Self.dependent(2)], createIs: "held")
        #expect(choice.retried.isEmpty && choice.stranded.map(\.sequence) == [2])
    }

    @Test func tellsWhichEntriesWereSkipped() {
        #expect(
            RetryText.stranded([Self.dependent(2), Self.dependent(3)]) == """
                2 entries for Anna Example (new) were skipped: they need entry 3f2a91c04b01, which is not retried.
                To see the reason and the next step, run: homing why 3f2a91c04b01
                """)
        var other = Self.dependent(4)
        other.needs = Sample.id(9)
        #expect(RetryText.stranded([Self.dependent(2), other]).contains("they need entries 3f2a91c04b01 and 3f2a91c04b09, which are not"))
    }
}
