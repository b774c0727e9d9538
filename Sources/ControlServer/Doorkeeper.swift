import ControlAPI
import Foundation
import Hummingbird
import NIOCore

/// Lets a call in: first the caller's role, then the length that its body claims to have, and only then what it says.
struct Doorkeeper {
    let policy: AccessPolicy
    let budget: BodyBudget
    let audit: Audit
    let service: any ControlService

    func admit<Input, Output, Answer>(
        _ endpoint: Endpoint<Input, Output>, _ request: Request, _ context: ControlContext,
        _ work: (Input, Peer) async throws -> Answer
    ) async throws -> Answer {
        guard let peer = await context.peer() else {
            throw Problem(.notPermitted, status: 403, title: "Not permitted", detail: "The system does not say who is asking.")
        }
        guard let access = policy.access(of: peer), access >= endpoint.access else {
            if audit.denied(endpoint, by: peer) { await service.denied(endpoint.name, by: peer) }
            throw policy.refusal(of: peer, for: endpoint.access)
        }
        let parameters = try Self.parameters(request, context)
        if endpoint.method == .get { return try await work(try Input(parameters: parameters, body: nil), peer) }
        let length = try Self.length(request, atMost: endpoint.largestBody)
        return try await budget.reserving(length ?? endpoint.largestBody) {
            if request.headers[.expect]?.lowercased() == "100-continue" { try await context.sayContinue() }
            let body = try await Self.body(request, length, atMost: endpoint.largestBody)
            return try await work(try Input(parameters: parameters, body: body), peer)
        }
    }

    private static func parameters(_ request: Request, _ context: ControlContext) throws -> [String: String] {
        var parameters: [String: String] = [:]
        for (name, value) in context.parameters { parameters[String(name)] = value.removingPercentEncoding ?? String(value) }
        for item in URLComponents(string: request.uri.description)?.percentEncodedQueryItems ?? [] {
            let name = decoded(item.name)
            guard parameters.updateValue(decoded(item.value ?? ""), forKey: name) == nil else {
                throw Problem.invalid("The parameter ‘\(name)’ is given twice.")
            }
        }
        return parameters
    }

    /// As forms are encoded, by Python's `urlencode` among others: a plus is a space (WHATWG URL, application/x-www-form-urlencoded).
    private static func decoded(_ text: String) -> String {
        let spaced = text.replacing("+", with: " ")
        return spaced.removingPercentEncoding ?? spaced
    }

    /// How long the body says that it is, in bytes; nil where it does not say.
    private static func length(_ request: Request, atMost limit: Int) throws -> Int? {
        guard let text = request.headers[.contentLength] else { return request.headers[.transferEncoding] == nil ? 0 : nil }
        guard let length = Int(text), length <= limit else { throw Problem.tooLarge(limit) }
        return length
    }

    private static func body(_ request: Request, _ length: Int?, atMost limit: Int) async throws -> Data {
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: limit)
        } catch is NIOTooManyBytesError {
            throw Problem.tooLarge(limit)
        } catch let error as CancellationError {
            throw error
        } catch {
            // The caller has gone, was too slow, or sent what is no HTTP.
            throw Problem.invalid("The body could not be read to its end, and nothing was done.")
        }
        // A connection that ends in the middle of a body must not make a document of what had come.
        if let length, body.readableBytes != length { throw Problem.invalid("The body ended before it was complete.") }
        return Data(body.readableBytesView)
    }
}

extension Endpoint {
    /// The call as the journal and the events name it.
    var name: String { "\(method.rawValue) \(path)" }
}
