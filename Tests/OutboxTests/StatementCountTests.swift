import GRDB
import StoreSupport
import SyncModel
import Synchronization
import TestSupport
import Testing

@testable import Outbox

/// The statements of a submission and of a delivery, with the triggers and their statements.
@Suite struct StatementCountTests {
    // The limits: the figures of 2026-11-26, and about 15 %. Lower them after an improvement.
    /// 18: the entry, its payload, its event, and the triggers for its lane and the counts.
    private static let mostPerSubmission = 20
    /// 51: the result, and the claim of the next entry.
    private static let mostPerDelivery = 58

    @Test func submissionTakesFewStatements() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        let statements = try await Self.statements(in: store.outbox) {
            _ = try await store.outbox.enqueue(Samples.mutation(2), accountLabel: "manager@lab.test", at: store.clock.now)
        }
        #expect((1...Self.mostPerSubmission).contains(statements.count), "\(Self.listed(statements))")
    }

    @Test func deliveryTakesFewStatements() async throws {
        let store = try Store()
        for number in 1...3 { try await store.enqueue(Samples.mutation(number)) }
        let entry = try #require(try await store.claim().first)
        let now = store.clock.now
        let attempt = Attempt(.accepted(Samples.receipt), route: Samples.route, startedAt: now, endedAt: now)
        let statements = try await Self.statements(in: store.outbox) {
            let next = try await store.outbox.settle(
                [Settled(entry, .delivered(Samples.receipt), attempt: attempt)], thenClaim: [Samples.destination: 1], at: now)
            #expect(next.entries.count == 1)
        }
        #expect((1...Self.mostPerDelivery).contains(statements.count), "\(Self.listed(statements))")
    }

    private static func listed(_ statements: [String]) -> String {
        "\(statements.count) statements:\n\(statements.joined(separator: "\n"))"
    }

    /// Those that the writing connection executes during `work`.
    private static func statements(in outbox: Outbox, during work: () async throws -> Void) async throws -> [String] {
        let executed = Executed()
        trace(outbox, into: executed)
        try await work()
        trace(outbox, into: nil)
        return executed.statements
    }

    private static func trace(_ outbox: Outbox, into executed: Executed?) {
        outbox.pool.writeWithoutTransaction { db in
            db.trace(options: executed == nil ? [] : .statement) { executed?.add("\($0)") }
        }
    }

    private final class Executed: Sendable {
        private let list = Mutex<[String]>([])
        var statements: [String] { list.withLock { $0 } }
        func add(_ statement: String) { list.withLock { $0.append(statement) } }
    }
}
