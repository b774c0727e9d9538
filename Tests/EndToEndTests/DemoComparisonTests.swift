import Testing

@testable import homing_sandbox

struct DemoComparisonTests {
    private func row(_ sequence: Int, _ state: String = "delivered", for subject: DemoBooks.Subject? = nil) -> DemoBooks.Row {
        var row = DemoBooks.Row(sequence: sequence, id: "entry-\(sequence)", lane: "lane", state: state)
        row.subject = subject
        return row
    }

    private func comparison(
        _ rows: [DemoBooks.Row], handedIn: Int = 3, arrivals: [Int?], people: [Int: String]? = nil,
        deleted: (daemon: Set<String>, backend: Set<String>)? = nil
    ) -> DemoComparison {
        let named = people.map { people in Dictionary(uniqueKeysWithValues: people.map { ("entry-\($0.key)", $0.value) }) }
        return DemoComparison(
            handedIn: (handedIn, "things"), books: DemoBooks(rows: rows), arrivals: arrivals.map { $0.map { "entry-\($0)" } },
            people: named, deleted: deleted)
    }

    private func agrees(_ rows: [DemoBooks.Row], handedIn: Int = 3, arrivals: [Int?]) -> Bool {
        comparison(rows, handedIn: handedIn, arrivals: arrivals).agrees
    }

    @Test func agreesWhenEverythingIsDeliveredOnceInOrder() {
        #expect(agrees([row(1), row(2), row(3)], arrivals: [1, 2, 3]))
    }

    @Test func agreesWhenADiscardedEntryIsNotDelivered() {
        #expect(agrees([row(1), row(2, "discarded"), row(3)], arrivals: [1, 3]))
    }

    @Test(arguments: [[1, 2], [1, 2, 2, 3], [2, 1, 3], [1, 2, 3, nil], []] as [[Int?]])
    func disagreesWhenServerContentsDiffer(_ arrivals: [Int?]) {
        #expect(!agrees([row(1), row(2), row(3)], arrivals: arrivals))
    }

    @Test(arguments: ["pending", "inflight", "held", "dead"])
    func disagreesWhenAnEntryIsNotSettled(_ state: String) {
        #expect(!agrees([row(1), row(2, state), row(3)], arrivals: [1, 3]))
    }

    @Test func disagreesWhenADiscardedEntryIsOnTheServer() {
        #expect(!agrees([row(1), row(2, "discarded"), row(3)], arrivals: [1, 2, 3]))
    }

    @Test func disagreesWhenDaemonLacksASubmittedEntry() {
        #expect(!agrees([row(1), row(2)], arrivals: [1, 2]))
    }

    // MARK: People

    private let anna = DemoBooks.Subject(id: "5", label: "Anna Example")
    private let ben = DemoBooks.Subject(id: "6", label: "Ben Sample")

    /// An entry without a person, one of Anna and one of Ben.
    private var rows: [DemoBooks.Row] { [row(1), row(2, for: anna), row(3, for: ben)] }

    @Test func agreesWhenEachPersonIsTheSameOnServer() {
        let comparison = comparison(rows, arrivals: [1, 2, 3], people: [2: "Anna Example (5)", 3: "Ben Sample (6)"])
        #expect(comparison.agrees && comparison.verdict.hasSuffix(", all for the right person."))
        #expect(comparison.table.hasSuffix("right person  yes       yes"), "\(comparison.table)")
    }

    @Test(
        arguments: [
            [2: "Ben Sample (6)", 3: "Anna Example (5)"], [2: "Anna Example (11)", 3: "Ben Sample (6)"], [2: "5", 3: "Ben Sample (6)"],
            [2: "Anna Example (5)"], [1: "Anna Example (5)", 2: "Anna Example (5)", 3: "Ben Sample (6)"], [:],
        ] as [[Int: String]])
    func disagreesWhenAPersonDiffers(_ people: [Int: String]) {
        let comparison = comparison(rows, arrivals: [1, 2, 3], people: people)
        #expect(!comparison.agrees && comparison.verdict == "THEY DO NOT AGREE.")
        #expect(comparison.table.hasSuffix("right person  NO        NO"), "\(comparison.table)")
    }

    @Test func personWithoutANameIsNotThePersonWithOne() {
        let nameless = row(1, for: DemoBooks.Subject(id: "5"))
        #expect(!comparison([nameless], handedIn: 1, arrivals: [1], people: [1: "Anna Example (5)"]).agrees)
        #expect(comparison([nameless], handedIn: 1, arrivals: [1], people: [1: "5"]).agrees)
    }

    @Test func agreesWhenOnlyTheRightPersonIsGone() {
        let comparison = comparison([row(1), row(2), row(3)], arrivals: [1, 2, 3], deleted: (["6"], ["6"]))
        #expect(comparison.agrees && comparison.verdict.hasSuffix("The right person is gone, and all others are still listed."))
        #expect(comparison.table.hasSuffix("person gone   6         6"), "\(comparison.table)")
    }

    @Test(arguments: [[], ["5"], ["5", "6"]] as [Set<String>])
    func disagreesWhenAnotherPersonIsGone(_ gone: Set<String>) {
        #expect(!comparison([row(1), row(2), row(3)], arrivals: [1, 2, 3], deleted: (["6"], gone)).agrees)
    }

    @Test func comparesNoPeopleInAStoryWithoutThem() {
        let comparison = comparison([row(1), row(2), row(3)], arrivals: [1, 2, 3])
        #expect(comparison.verdict == "They agree: nothing lost, nothing duplicated, all in order.")
        #expect(!comparison.table.contains("right person"))
    }
}
