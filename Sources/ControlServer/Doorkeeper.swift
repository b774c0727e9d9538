import ControlAPI
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SyncModel

/// Checks the role, then the declared body length, then reads the input.
struct Doorkeeper {
    let policy: AccessPolicy
    let limits: ControlLimits
    let audit: Audit
    /// Reports a denied call.
    let denied: @Sendable (_ call: String, _ peer: Peer) async -> Void
    private let budget: ByteBudget

    init(
        policy: AccessPolicy, limits: ControlLimits, audit: Audit, denied: @escaping @Sendable (_ call: String, _ peer: Peer) async -> Void
    ) {
        self.policy = policy
        self.limits = limits
        self.audit = audit
        self.denied = denied
        budget = ByteBudget(limits.bodies, ofOwner: limits.bodiesPerUser)
    }

    /// Admits the call, performs it and logs its outcome.
    func perform<Input, Output, Answer: Sendable>(
        _ endpoint: Endpoint<Input, Output>, _ request: Request, _ context: ControlContext,
        _ work: (Input, Caller) async throws -> Answer
    ) async throws -> Answer {
        try await admit(endpoint, request, context) { input, caller in
            let answer: Answer
            do { answer = try await work(input, caller) } catch let error as any ProblemConvertible {
                audit.failed(endpoint, on: input.auditTarget, by: caller.peer, error.problem)
                throw error
            }
            let target = (answer as? any AuditedResponse)?.auditTarget ?? input.auditTarget
            audit.done(endpoint, on: target, by: caller.peer, HTTPResponse.Status.success(of: answer).code)
            return answer
        }
    }

    func admit<Input, Output, Answer>(
        _ endpoint: Endpoint<Input, Output>, _ request: Request, _ context: ControlContext,
        _ work: (Input, Caller) async throws -> Answer
    ) async throws -> Answer {
        guard let peer = await context.peer() else {
            throw Problem(.notPermitted, status: 403, title: "Not permitted", detail: "The system did not identify the calling process.")
        }
        guard let access = policy.access(of: peer), access >= endpoint.access else {
            if audit.denied(endpoint, by: peer) { await denied(endpoint.name, peer) }
            throw await refusing(request, endpoint.largestBody, policy.refusal(of: peer, for: endpoint.access))
        }
        let caller = Caller(peer, access, under: policy)
        let parameters = try Self.parameters(request, context)
        if endpoint.method == .get { return try await work(try Input(parameters: parameters, body: nil), caller) }
        let length = try Self.length(request, atMost: endpoint.largestBody)
        let bytes = length ?? endpoint.largestBody
        let isLarge = bytes > limits.smallBody
        if isLarge, !(await budget.take(bytes, of: peer.uid, within: limits.turn)) {
            try Task.checkCancellation()
            throw await refusing(
                request, endpoint.largestBody, .busy("The daemon is busy with other large payloads and did not accept this one."))
        }
        defer { if isLarge { budget.release(bytes, of: peer.uid) } }
        if request.headers[.expect]?.lowercased() == "100-continue" { try await context.sayContinue() }
        let body = try await Self.body(request, length, atMost: endpoint.largestBody)
        return try await work(try Input(parameters: parameters, body: body), caller)
    }

    /// Reads and drops a large body first: a client still sending would see a broken connection instead of the answer.
    private func refusing(_ request: Request, _ limit: Int, _ problem: Problem) async -> Problem {
        let length = request.headers[.contentLength].flatMap { Int($0) } ?? 0
        guard length > limits.smallBody, length <= limit, request.headers[.expect]?.lowercased() != "100-continue" else { return problem }
        // If the body breaks off, the client is gone.
        do { for try await _ in request.body {} } catch {}
        return problem
    }

    private static func parameters(_ request: Request, _ context: ControlContext) throws -> [String: String] {
        var parameters: [String: String] = [:]
        for (name, value) in context.parameters { parameters[String(name)] = value.removingPercentEncoding ?? String(value) }
        for item in request.uri.query?.utf8.split(separator: UInt8(ascii: "&")) ?? [] {
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                .map { decoded(String(Substring($0))) }
            let name = parts[0]
            guard parameters.updateValue(parts.count > 1 ? parts[1] : "", forKey: name) == nil else {
                throw Problem.invalid("The parameter ‘\(name)’ is given twice.")
            }
        }
        return parameters
    }

    /// Form encoding: a plus is a space (WHATWG URL, application/x-www-form-urlencoded).
    private static func decoded(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "%") }) else { return text }
        let spaced = text.replacing("+", with: " ")
        return spaced.removingPercentEncoding ?? spaced
    }

    /// The declared body length in bytes; nil if unknown.
    private static func length(_ request: Request, atMost limit: Int) throws -> Int? {
        guard let text = request.headers[.contentLength] else { return request.headers[.transferEncoding] == nil ? 0 : nil }
        guard let length = Int(text), length <= limit else { throw Problem.tooLarge(limit) }
        return length
    }

    private static func body(_ request: Request, _ length: Int?, atMost limit: Int) async throws -> Data {
        // Read directly, which avoids a copy.
        var body = Data(capacity: length ?? 0)
        do {
            for try await part in request.body {
                guard body.count + part.readableBytes <= limit else { throw Problem.tooLarge(limit) }
                part.withUnsafeReadableBytes { body.append(contentsOf: $0) }
            }
        } catch let error as Problem {
            throw error
        } catch let error as CancellationError {
            throw error
        } catch {
            // The client disconnected, was too slow, or sent invalid HTTP.
            throw Problem.invalid("The daemon could not read the whole request body. Nothing was changed.")
        }
        // A truncated body must not be stored as a document.
        if let length, body.count != length { throw Problem.invalid("The request body does not match its Content-Length.") }
        return body
    }
}

extension Endpoint {
    /// The call's name in the journal and in events.
    var name: String { "\(method.rawValue) \(path)" }
}
