import Foundation

struct Switchboard: Sendable {
    let backend: Listener
    let standIn: any StandIn
    let plan: FaultPlan
    let clock: SandboxClock

    /// Sets a fault. `down` and an immediate `expire-sessions` take effect now instead.
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
