import ControlAPI
import Testing

@testable import homing

@Suite struct DiscardChoiceTests {
    private let discard = DiscardText(times: Sample.times, width: 200)

    private static func row(_ create: Int, _ label: String? = "Anna Example") -> SubjectReport {
        var row = SubjectReport(
            resource: "managed_users", field: "user_id", id: "@\(Sample.id(create))", label: label, isNew: true)
        row.title = "person"
        return row
    }

    /// Entry 1 creates Anna, entry 2 gives her the name.
    private static let create: EntrySummary = {
        var create = Sample.entry(1, subject: row(1))
        (create.route, create.then) = ("create_managed_user", Sample.id(2))
        return create
    }()

    private static func entry(_ number: Int, _ state: String = "pending", hold: String? = nil, route: String = "measurement")
        -> EntrySummary
    {
        var entry = Sample.entry(number, state, hold: hold, subject: row(1))
        (entry.route, entry.needs) = (route, Sample.id(1))
        entry.title = RosterTitle(one: route, many: "\(route)s")
        return entry
    }

    private static let profile = entry(2, route: "profile")

    private func choice(
        of entries: [EntrySummary] = [Self.create], takesDiscarded: Bool = false, _ dependents: [EntrySummary]
    ) async throws(Problem) -> DiscardChoice {
        try await DiscardChoice(entries, takesDiscarded: takesDiscarded) { create in dependents.filter { $0.needs == create.id } }
    }

    @Test func namesTheNewPerson() {
        #expect(EntryTally.text([Self.create]) == "the new person Anna Example")
        var other = Self.create
        (other.id, other.subject) = (Sample.id(3), Self.row(3))
        #expect(EntryTally.text([Self.create, other]) == "the new person Anna Example and the new person Anna Example")
        var unnamed = Self.create
        unnamed.subject = Self.row(1, nil)
        #expect(EntryTally.text([unnamed]) == "the new person @3f2a91c04b01")
        #expect(EntryTally.text([Self.entry(4)]) == "1 measurement of Anna Example (new)")
    }

    @Test func discardsTheEntryThatWasAcceptedWithTheCreate() async throws {
        let choice = try await choice(of: [Self.profile, Sample.entry(9), Self.create], [Self.profile])
        #expect(choice.chosen.map(\.sequence) == [1, 2, 9] && choice.followers.isEmpty)
        let both = try await self.choice([Self.profile, Self.entry(4), Self.entry(5)])
        #expect(both.all.map(\.sequence) == [1, 2] && both.stranded.map(\.sequence) == [4, 5])
        #expect(
            discard.before(both.all, stranded: both.stranded, isFinal: false).hasPrefix(
                "2 entries will be discarded: the new person Anna Example and 1 profile of Anna Example (new). Homing will not send them."))
        #expect(
            discard.before(both.all, stranded: both.stranded, isFinal: false).hasSuffix(
                "\n2 measurements of Anna Example (new) will be on hold."))
    }

    /// Without its create, the entry is on hold; without the entry, the create would make a person without a name.
    @Test func followerIsDiscardedOnlyAfterItsCreate() async throws {
        let choice = try await choice([Self.profile, Self.entry(4)])
        #expect(choice.followers(of: []).isEmpty && choice.stranded(by: []).isEmpty)
        #expect(choice.followers(of: [Self.create]).map(\.sequence) == [2])
        #expect(choice.stranded(by: [Self.create]).map(\.sequence) == [4])
    }

    @Test func deliveredAndDiscardedDependentsDoNotCount() async throws {
        let others = [Self.entry(4, "delivered"), Self.entry(5, "held", hold: "discarding"), Self.entry(6, "held", hold: "dependency")]
        let choice = try await choice(others + [Self.entry(2, "held", hold: "discarding", route: "profile")])
        #expect(choice.all.map(\.sequence) == [1] && choice.stranded.map(\.sequence) == [6])
        let final = try await self.choice(takesDiscarded: true, [Self.entry(2, "held", hold: "discarding", route: "profile")])
        #expect(final.all.map(\.sequence) == [1, 2])
    }

    @Test func rowsOfARowAreStrandedToo() async throws {
        var list = Self.entry(4, route: "create_list")
        list.subject = Self.row(4)
        var item = Self.entry(5)
        item.needs = list.id
        let choice = try await choice([list, item])
        #expect(choice.stranded.map(\.sequence) == [4, 5])
        #expect(choice.stranded(by: [Self.create]).map(\.sequence) == [4, 5])
    }

    @Test func answerNamesThePersonAndTheEntriesOnHold() async throws {
        let choice = try await choice([Self.profile, Self.entry(4), Self.entry(5, "dead")])
        var done = Self.create
        (done.state, done.subject) = ("discarded", Self.row(1, nil))
        #expect(
            discard.done(choice.named([done]), stranded: choice.stranded(by: [done])) == """
                The new person Anna Example was discarded. Homing will not send it.
                1 measurement of Anna Example (new) is on hold. 1 measurement of Anna Example (new) failed before, and cannot be retried.
                """)
    }

    @Test func questionNamesSeveralAccounts() {
        var other = Sample.entry(3, backend: "labloop")
        other.account = "6"
        #expect(
            discard.before([Sample.entry(2), other], isFinal: false).contains(
                " They belong to account 5 at breathesafe and account 6 at labloop. "))
        #expect(!discard.before([Sample.entry(2), Sample.entry(3)], isFinal: false).contains("They belong to"))
    }

    @Test func batchTellsThatItWasStopped() async {
        var batch = EntryBatch()
        await batch.run(["1", "2"]) { id throws(Problem) in
            if id == "1" { throw .notFound("There is no entry 1.") }
            return Self.create
        }
        #expect(!batch.wasStopped && batch.done.count == 1)
        await batch.run(["3", "4"]) { _ throws(Problem) in throw .invalid("Not allowed.") }
        #expect(batch.wasStopped && batch.failures.count == 2)
    }
}
