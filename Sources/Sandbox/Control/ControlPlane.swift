import Foundation
import HTTPTypes

/// Controls a sandbox, for tests and at the control URL.
struct ControlPlane: Sendable {
    let backend: Listener
    let server: SandboxServer
    let plan: FaultPlan
    let clock: SandboxClock
    let ledger: Ledger

    private static let calls = [
        "GET /healthz", "GET /faults", "POST /faults", "DELETE /faults", "POST /down", "POST /up", "POST /expire-sessions",
        "POST /advance-clock", "GET /settings", "POST /settings", "GET /ledger", "GET /ledger.ndjson", "GET /requests", "GET /counters",
        "POST /add-person", "POST /remove-person",
    ]

    /// Sets a fault; `down` and an immediate `expire-sessions` take effect now instead.
    func apply(_ fault: Fault) async {
        switch fault.name {
        case .down: await backend.down()
        case .expireSessions where fault.after == 0: server.expireSessions(rememberTokens: fault.rememberTokens)
        case .expireSessions:
            plan.expireSessions(at: clock.now.addingTimeInterval(TimeInterval(fault.after)), rememberTokens: fault.rememberTokens)
        default: plan.add(fault)
        }
    }

    /// Answers one call; errors describe the expected input.
    func respond(to request: SandboxRequest) async -> SandboxResponse {
        do {
            return try await answer(request)
        } catch let problem as FaultProblem {
            return .json(400, ["error": .string(problem.description)])
        } catch {
            return .json(500, ["error": .string(String(describing: error))])
        }
    }

    private func answer(_ request: SandboxRequest) async throws -> SandboxResponse {
        switch request.line {
        case "GET /healthz": return .json(200, ["status": "ok"])
        case "GET /faults": return .json(200, faults)
        case "POST /faults":
            let fault = try Fault(json: try body(of: request))
            await apply(fault)
            return .json(201, fault.json)
        case "DELETE /faults":
            plan.clear()
            return .json(200, faults)
        case "POST /down":
            await backend.down()
            return .json(200, ["backend": "down"])
        case "POST /up":
            try await backend.up()
            return .json(200, ["backend": "up"])
        case "POST /expire-sessions": return try expireSessions(request)
        case "POST /advance-clock": return try advanceClock(request)
        case "GET /settings": return .json(200, .object(server.settings))
        case "POST /settings": return try changeSettings(request)
        case "POST /add-person": return .json(201, try addPerson(request))
        case "POST /remove-person": return try removePerson(request)
        case "GET /ledger": return try .json(200, read(ledger.entries))
        case "GET /ledger.ndjson": return try ndjson(ledger.entries)
        case "GET /requests": return try .json(200, read(ledger.requests))
        case "GET /counters":
            return try .json(
                200,
                [
                    "requests": read(ledger.counters), "log_ins": .integer(ledger.logInCount),
                    "committed": .integer(ledger.entries.count), "duplicates": read(ledger.duplicates),
                ])
        default:
            return .json(
                404,
                ["error": .string("unknown request \(request.line)"), "expected": .array(Self.calls.map { .string($0) })])
        }
    }

    private var faults: JSON { ["faults": .array(plan.faults.map(\.json))] }

    private func expireSessions(_ request: SandboxRequest) throws -> SandboxResponse {
        let wanted = request.body.isEmpty ? [:] : try body(of: request)
        guard case .bool(let rememberTokens) = wanted["remember-tokens"] ?? false else {
            throw FaultProblem(description: "remember-tokens: expected true or false")
        }
        server.expireSessions(rememberTokens: rememberTokens)
        return .json(200, ["expired": true, "remember-tokens": .bool(rememberTokens)])
    }

    private func advanceClock(_ request: SandboxRequest) throws -> SandboxResponse {
        guard let seconds = try body(of: request)["seconds"]?.integer, (0...1_000_000_000).contains(seconds) else {
            throw FaultProblem(description: #"expected {"seconds": a whole number from 0 to 1000000000}"#)
        }
        clock.advance(by: .seconds(seconds))
        return .json(200, ["now": .string(clock.now.railsTimestamp)])
    }

    private func changeSettings(_ request: SandboxRequest) throws -> SandboxResponse {
        guard let settings = try body(of: request).members else { throw FaultProblem(description: "expected an object of settings") }
        try server.change(settings)
        return .json(200, .object(server.settings))
    }

    private func addPerson(_ request: SandboxRequest) throws -> JSON {
        guard var profile = try body(of: request).members else {
            throw FaultProblem(description: #"expected an object of profile fields, and "manager" (default 1)"#)
        }
        let manager = profile.removeValue(forKey: "manager")?.integer ?? 1
        return try server.addPerson(profile, manager: manager)
    }

    private func removePerson(_ request: SandboxRequest) throws -> SandboxResponse {
        guard let user = try body(of: request)["managed_id"]?.integer else {
            throw FaultProblem(description: #"expected {"managed_id": a whole number}"#)
        }
        try server.removePerson(user)
        return .json(200, ["removed": .int(user)])
    }

    private func body(of request: SandboxRequest) throws(FaultProblem) -> JSON {
        // `try?`: the flaw says no more than this message.
        guard let body = try? JSON(bytes: request.body) else { throw FaultProblem(description: "the body is not JSON") }
        return body
    }

    private func read(_ value: some Encodable) throws -> JSON {
        try JSON(bytes: Array(try SandboxJSON.encoder.encode(value)))
    }

    private func ndjson(_ entries: [LedgerEntry]) throws -> SandboxResponse {
        var lines: [UInt8] = []
        for entry in entries {
            lines += try SandboxJSON.encoder.encode(entry)
            lines.append(UInt8(ascii: "\n"))
        }
        return SandboxResponse(status: 200, headers: [.contentType: "application/x-ndjson"], body: lines)
    }
}
