import Foundation

/// Everything about a sandbox that can be changed while it runs, from Swift and through the control URL alike.
struct Switchboard: Sendable {
    let backend: Listener
    let standIn: any StandIn
    let plan: FaultPlan
    let clock: SandboxClock

    /// Sets a fault; those that are events rather than states happen now.
    func apply(_ fault: Fault) async {
        switch fault.name {
        case .down: await backend.down()
        case .expireSessions where fault.after == 0: standIn.expireSessions(rememberTokens: fault.rememberTokens)
        case .expireSessions:
            plan.expireSessions(at: clock.now.addingTimeInterval(TimeInterval(fault.after)), rememberTokens: fault.rememberTokens)
        default: plan.add(fault)
        }
    }
}
