import Foundation
import Synchronization

final class FaultPlan: Sendable {
    private struct Plan {
        var faults: [Fault] = []
        var expiries: [(due: Date, rememberTokens: Bool)] = []
        /// The number of times that the faults were cleared.
        var clearings = 0
        /// Finished when the faults are cleared.
        var pauses: [UUID: AsyncStream<Never>.Continuation] = [:]
    }

    private let plan = Mutex(Plan())

    /// The active faults with their remaining counts.
    var faults: [Fault] { plan.withLock { $0.faults } }

    func add(_ fault: Fault) { plan.withLock { $0.faults.append(fault) } }

    /// Removes every fault and ends the delays in progress.
    func clear() {
        let pauses = plan.withLock { plan in
            defer { plan = Plan(clearings: plan.clearings + 1) }
            return plan.pauses.values
        }
        for pause in pauses { pause.finish() }
    }

    var clearings: Int { plan.withLock { $0.clearings } }

    /// Waits for `duration`, or until the faults have been cleared more than `clearings` times; throws on cancellation.
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

    /// Counts one use of the fault.
    func meet(_ request: SandboxRequest, account: Int?) -> Fault? {
        take { $0.matches(request, account: account) }
    }

    func refusesConnection() -> Bool {
        take { $0.name == .refuse } != nil
    }

    func expireSessions(at due: Date, rememberTokens: Bool) {
        plan.withLock { $0.expiries.append((due, rememberTokens)) }
    }

    /// Removes the expiries that are due. Nil if none are; true if remember tokens expire too.
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
