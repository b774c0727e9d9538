import Testing

@testable import homing_sandbox

struct DemoComparisonTests {
    private func row(_ sequence: Int, _ state: String = "delivered") -> DemoBooks.Row {
        DemoBooks.Row(sequence: sequence, id: "entry-\(sequence)", lane: "lane", state: state)
    }

    private func agrees(_ rows: [DemoBooks.Row], handedIn: Int = 3, foundThere: Set<String> = [], arrivals: [Int?]) -> Bool {
        DemoComparison(
            handedIn: (handedIn, "things"), books: DemoBooks(rows: rows), foundThere: foundThere,
            arrivals: arrivals.map { $0.map { "entry-\($0)" } }
        ).agrees
    }

    @Test func agreesWhenEverythingIsDeliveredOnceInOrder() {
        #expect(agrees([row(1), row(2), row(3)], arrivals: [1, 2, 3]))
    }

    @Test func agreesWhenADiscardedEntryIsNotDelivered() {
        #expect(agrees([row(1), row(2, "discarded"), row(3)], arrivals: [1, 3]))
    }

    @Test func agreesWhenADiscardedEntryWasFoundOnServer() {
        #expect(agrees([row(1), row(2, "discarded"), row(3)], foundThere: ["entry-2"], arrivals: [1, 2, 3]))
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

    @Test func disagreesWhenAFoundEntryIsNotOnServer() {
        #expect(!agrees([row(1), row(2, "discarded"), row(3)], foundThere: ["entry-2"], arrivals: [1, 3]))
    }

    @Test func disagreesWhenAFoundEntryWasSentAgain() {
        #expect(!agrees([row(1), row(2), row(3)], foundThere: ["entry-2"], arrivals: [1, 2, 2, 3]))
    }

    @Test func disagreesWhenDaemonLacksASubmittedEntry() {
        #expect(!agrees([row(1), row(2)], arrivals: [1, 2]))
    }
}
