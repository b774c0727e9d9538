import Foundation
import Synchronization

/// The faults that are set now, in the order in which they were set.
final class FaultPlan: Sendable {
    private struct Plan {
        var faults: [Fault] = []
        var expiries: [(due: Date, rememberTokens: Bool)] = []
        /// How often the faults were cleared.
        var clearings = 0
        /// Ended when the faults are cleared.
        var pauses: [UUID: AsyncStream<Never>.Continuation] = [:]
    }

    private let plan = Mutex(Plan())

    /// What is set, with the counts that are left.
    var faults: [Fault] { plan.withLock { $0.faults } }

    func add(_ fault: Fault) { plan.withLock { $0.faults.append(fault) } }

    /// Forgets every fault, and ends the pauses of those that were met.
    func clear() {
        let pauses = plan.withLock { plan in
            defer { plan = Plan(clearings: plan.clearings + 1) }
            return plan.pauses.values
        }
        for pause in pauses { pause.finish() }
    }

    /// How often the faults were cleared until now.
    var clearings: Int { plan.withLock { $0.clearings } }

    /// Waits for this long, or until the faults are cleared once more than so often; throws where the task is cancelled.
    func pause(for duration: Duration, since clearings: Int) async throws {
        let (cleared, continuation) = AsyncStream<Never>.makeStream()
        let id = UUID()
        let isOver = plan.withLock { plan in
            plan.pauses[id] = continuation
            return plan.clearings > clearings
        }
        if isOver { continuation.finish() }
        defer { plan.withLock { _ = $0.pauses.removeValue(forKey: id) } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await Task.sleep(for: duration) }
            group.addTask { for await _ in cleared {} }
            try await group.next()
            group.cancelAll()
        }
        try Task.checkCancellation()
    }

    /// The fault that this request meets, which uses it up once.
    func meet(_ request: SandboxRequest, account: Int?) -> Fault? {
        take { $0.matches(request, account: account) }
    }

    /// Whether this connection is to be reset, which uses the fault up once.
    func refusesConnection() -> Bool {
        take { $0.name == .refuse } != nil
    }

    /// Lets sessions end at a time.
    func expireSessions(at due: Date, rememberTokens: Bool) {
        plan.withLock { $0.expiries.append((due, rememberTokens)) }
    }

    /// Whether sessions have to end by now, nil when they need not; otherwise whether remember tokens end too.
    func expiryDue(at now: Date) -> Bool? {
        plan.withLock { plan in
            let due = plan.expiries.filter { $0.due <= now }
            plan.expiries.removeAll { $0.due <= now }
            return due.isEmpty ? nil : due.contains { $0.rememberTokens }
        }
    }

    private func take(_ isMeant: (Fault) -> Bool) -> Fault? {
        plan.withLock { plan in
            guard let place = plan.faults.firstIndex(where: isMeant) else { return nil }
            let fault = plan.faults[place]
            if let count = fault.count {
                if count <= 1 { plan.faults.remove(at: place) } else { plan.faults[place].count = count - 1 }
            }
            return fault
        }
    }
}
