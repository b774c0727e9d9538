import Foundation
import HTTPTypes

/// The control URL: sets faults, moves the clock and shows the ledger.
struct ControlPlane: Sendable {
    let switchboard: Switchboard
    let ledger: Ledger

    private static let calls = [
        "GET /healthz", "GET /faults", "POST /faults", "DELETE /faults", "POST /down", "POST /up", "POST /expire-sessions",
        "POST /advance-clock", "GET /settings", "POST /settings", "GET /ledger", "GET /ledger.ndjson", "GET /requests", "GET /counters",
    ]

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
        switch "\(request.method) \(request.path)" {
        case "GET /healthz": return .json(200, ["status": "ok"])
        case "GET /faults": return .json(200, faults)
        case "POST /faults":
            let fault = try Fault(json: try body(of: request))
            await switchboard.apply(fault)
            return .json(201, fault.json)
        case "DELETE /faults":
            switchboard.plan.clear()
            return .json(200, faults)
        case "POST /down":
            await switchboard.backend.down()
            return .json(200, ["backend": "down"])
        case "POST /up":
            try await switchboard.backend.up()
            return .json(200, ["backend": "up"])
        case "POST /expire-sessions": return try expireSessions(request)
        case "POST /advance-clock": return try advanceClock(request)
        case "GET /settings": return .json(200, .object(switchboard.standIn.settings))
        case "POST /settings": return try changeSettings(request)
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
                [
                    "error": .string("unknown request \(request.method) \(request.path)"),
                    "expected": .array(Self.calls.map { .string($0) }),
                ])
        }
    }

    private var faults: JSON { ["faults": .array(switchboard.plan.faults.map(\.json))] }

    private func expireSessions(_ request: SandboxRequest) throws -> SandboxResponse {
        let wanted = request.body.isEmpty ? [:] : try body(of: request)
        switch wanted["remember-tokens"] ?? false {
        case .bool(let rememberTokens):
            switchboard.standIn.expireSessions(rememberTokens: rememberTokens)
            return .json(200, ["expired": true, "remember-tokens": .bool(rememberTokens)])
        default: throw FaultProblem(description: "remember-tokens: expected true or false")
        }
    }

    private func advanceClock(_ request: SandboxRequest) throws -> SandboxResponse {
        guard let seconds = try body(of: request)["seconds"]?.integer, (0...1_000_000_000).contains(seconds) else {
            throw FaultProblem(description: #"expected {"seconds": a whole number from 0 to 1000000000}"#)
        }
        switchboard.clock.advance(by: .seconds(seconds))
        return .json(200, ["now": .string(switchboard.clock.now.railsTimestamp)])
    }

    private func changeSettings(_ request: SandboxRequest) throws -> SandboxResponse {
        guard let settings = try body(of: request).members else { throw FaultProblem(description: "expected an object of settings") }
        try switchboard.standIn.change(settings)
        return .json(200, .object(switchboard.standIn.settings))
    }

    private func body(of request: SandboxRequest) throws(FaultProblem) -> JSON {
        do {
            return try JSON(bytes: request.body)
        } catch {
            throw FaultProblem(description: "the body is not JSON: \(error)")
        }
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
