import ControlAPI
import Foundation
import Testing

@testable import homing

@Suite struct EntryResolverTests {
    /// A list in pages like the daemon's. Every tenth entry is dead.
    private let resolver = EntryResolver { query async throws(Problem) in
        let all = (1...1200).map { Sample.entry($0, $0 % 10 == 0 ? "dead" : "pending") }
        let found = all.filter { $0.sequence > query.after ?? 0 && (query.state ?? $0.state) == $0.state }
        let page = Array(found.prefix(query.limit))
        return EntryPage(entries: page, next: found.count > page.count ? page.last?.sequence : nil)
    }

    @Test(arguments: [
        ("12", 12), ("#12", 12), ("#1200", 1200), ("0190a1b2-c3d4-7e5f-8a9b-3f2a91c04b0c", 12),
        ("0190A1B2-C3D4-7E5F-8A9B-3F2A91C04B0C", 12),
        ("3f2a91c04b0c", 12), ("3F2A91C04B0C", 12), ("4fb0", 1200),
    ])
    func anEntryIsFoundByNumberIdAndTheEndOfIt(name: String, number: Int) async throws {
        #expect(try await resolver.ids([name]) == [Sample.id(number)])
    }

    @Test func aUniqueBeginningIsEnough() async throws {
        let resolver = EntryResolver { _ async throws(Problem) in EntryPage(entries: [Sample.entry(1)], next: nil) }
        #expect(try await resolver.ids(["0190"]) == [Sample.id(1)])
    }

    @Test func aPartOfAnIdMayBeAllDigits() async throws {
        let id = Sample.id(1280)
        #expect(id.hasSuffix("5000"))
        let resolver = EntryResolver { _ async throws(Problem) in EntryPage(entries: [Sample.entry(1280)], next: nil) }
        #expect(try await resolver.ids(["5000"]) == [id])
    }

    @Test(arguments: [
        ("0190a1b2", "invalid-request"), ("ffff", "not-found"), ("1201", "not-found"), ("#0", "invalid-request"),
        ("abc", "invalid-request"),
        ("last", "invalid-request"), ("", "invalid-request"), ("#", "invalid-request"), ("12-", "invalid-request"),
        ("99999999999999999999", "not-found"),
    ])
    func whatNamesNoneOrSeveralIsAnError(name: String, code: String) async throws {
        let problem = await #expect(throws: Problem.self) { try await resolver.ids(["12", name]) }
        #expect(problem?.code.rawValue == code)
        #expect(problem?.next != nil)
    }

    @Test func namesOfOneEntryAreOneEntryAndTheOrderStays() async throws {
        #expect(try await resolver.ids(["12", "3", "3f2a91c04b0c"]) == [Sample.id(12), Sample.id(3)])
    }

    @Test func allOfAStateAreFoundOverAllPages() async throws {
        #expect(try await resolver.all(state: "dead", backend: nil).count == 120)
        #expect(try await resolver.all(state: "pending", backend: nil).count == 1080)
    }

    @Test func wholeIdsAreNotLookedUp() async throws {
        let resolver = EntryResolver { _ async throws(Problem) in throw .notFound("The list is not asked for.") }
        #expect(try await resolver.ids([Sample.id(5)]) == [Sample.id(5)])
    }
}
