import Foundation
import HTTPTypes

/// Runs the simulated backend, applies faults and writes the ledger.
struct FaultingResponder: Sendable {
    let server: SandboxServer
    let ledger: Ledger
    let plan: FaultPlan
    let clock: SandboxClock
    let answering: @Sendable (SandboxRequest, SandboxResponse) -> SandboxResponse

    /// Answers a request; throws if the sandbox stops before it has taken effect.
    func respond(to request: SandboxRequest) async throws -> Exchange {
        var now = clock.now
        if let rememberTokens = plan.expiryDue(at: now) { server.expireSessions(rememberTokens: rememberTokens) }
        let accounts = server.carriedAccounts(in: request, at: now)
        let arrival = ledger.arrived(request, carrying: accounts, at: now)
        let clearings = plan.clearings
        let fault = plan.meet(request, account: accounts.account)
        if let fault { ledger.met(fault, request: arrival) }
        if let fault, fault.name == .slowCommit {
            try await plan.pause(for: .milliseconds(fault.milliseconds), since: clearings)
            now = clock.now
        }

        var committed: [Int] = []
        let plain =
            withoutEffect(fault, for: request, at: now)
            ?? withEffect(
                fault, on: server.answer(request, at: now) { committed.append(ledger.committed($0, by: request, at: now)) }, to: request,
                since: clearings)
        let delivery = plain.mapped { answering(request, $0) }
        ledger.answered(request: arrival, entries: committed, status: delivery.status)
        return Exchange(delivery: delivery, arrival: arrival, committed: committed)
    }

    func lost(_ exchange: Exchange) {
        guard exchange.delivery.status != nil else { return }
        ledger.answered(request: exchange.arrival, entries: exchange.committed, status: nil)
    }

    private func withoutEffect(_ fault: Fault?, for request: SandboxRequest, at now: Date) -> Delivery? {
        guard let fault else { return nil }
        switch fault.name {
        case .neverAnswer: return .never
        case .cut: return .cut
        case .internalError: return .whole(server.errorPage(500, code: nil, for: request))
        case .error: return .whole(server.errorPage(fault.status, code: fault.code, for: request))
        case .unauthorized: return .whole(server.denial(of: request, at: now))
        case .unavailable: return .whole(busy(503, "Application Error", fault, at: now))
        case .tooManyRequests: return .whole(busy(429, "Too Many Requests", fault, at: now))
        case .loginPage: return .whole(.html(200, title: "Log in"))
        case .redirect:
            return .whole(SandboxResponse(status: 302, headers: [.location: fault.location, .contentType: "text/html; charset=utf-8"]))
        default: return nil
        }
    }

    private func withEffect(
        _ fault: Fault?, on response: SandboxResponse, to request: SandboxRequest, since clearings: Int
    ) -> Delivery {
        let pause = Duration.milliseconds(fault?.milliseconds ?? 0)
        return switch fault?.name {
        case .neverAnswerAfterCommit: .never
        case .commitThenCut: .cut
        case .internalErrorAfterCommit: .whole(server.errorPage(500, code: nil, for: request))
        case .loginPageAfterCommit: .whole(.html(200, title: "Log in"))
        case .slow: .late(response, after: { [plan] in try await plan.pause(for: pause, since: clearings) })
        case .dribble: .dribbled(response, each: pause)
        case .truncated: .truncated(response)
        default: .whole(response)
        }
    }

    private func busy(_ status: Int, _ title: String, _ fault: Fault, at now: Date) -> SandboxResponse {
        var response = SandboxResponse.html(status, title: title)
        if let seconds = fault.retryAfter {
            response.headers[.retryAfter] =
                fault.retryAfterForm == .date ? now.addingTimeInterval(TimeInterval(seconds)).httpDate : String(seconds)
        }
        return response
    }
}
