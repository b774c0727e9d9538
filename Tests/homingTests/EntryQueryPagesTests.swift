import ControlAPI
import Testing

@testable import homing

@Suite struct EntryQueryPagesTests {
    /// A list in pages like the daemon's. Every tenth entry is dead.
    @Test(arguments: [("dead", 120), ("pending", 1080)]) func findsEntriesOfStateOnAllPages(state: String, count: Int) async throws {
        let all = (1...1200).map { Sample.entry($0, $0 % 10 == 0 ? "dead" : "pending") }.filter { $0.state == state }
        let found = try await EntryQuery(state: state, after: 0, limit: 500).allPages { query async throws(Problem) -> EntryPage in
            let left = all.filter { $0.sequence > query.after ?? 0 && $0.state == query.state }
            let page = Array(left.prefix(query.limit))
            return EntryPage(entries: page, next: left.count > page.count ? page.last?.sequence : nil)
        }
        #expect(found.count == count && found == all)
    }
}
