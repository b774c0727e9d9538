import AsyncAlgorithms
import ControlAPI
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

/// The routes: every endpoint to its method of the service.
struct ControlRouter {
    let service: any ControlService
    let policy: AccessPolicy
    /// After how long without an event a listener is sent an empty line, by which also its going is noticed.
    let quiet: Duration

    /// The largest document plus room for nothing else: everything besides it is in the query.
    static let largestBody = 33 << 20

    func responder() -> some HTTPResponder<ControlContext> {
        let router = Router(context: ControlContext.self)
        router.addMiddleware {
            ProblemMiddleware()
            LocalOnlyMiddleware()
        }
        add(Endpoints.status, to: router, service.status)
        add(Endpoints.sessions, to: router, service.sessions)
        add(Endpoints.signIn, to: router, answering: { _ in .created }, service.signIn)
        add(Endpoints.signOut, to: router, service.signOut)
        add(Endpoints.submit, to: router, answering: { $0.duplicate ? .ok : .created }, service.submit)
        add(Endpoints.entries, to: router, service.entries)
        add(Endpoints.entry, to: router, service.entry)
        add(Endpoints.why, to: router, service.why)
        add(Endpoints.retry, to: router, service.retry)
        add(Endpoints.discard, to: router, service.discard)
        add(Endpoints.sync, to: router, service.sync)
        add(Endpoints.pause, to: router, service.pause)
        add(Endpoints.resume, to: router, service.resume)
        add(Endpoints.receipts, to: router, service.receipts)
        add(Endpoints.receipt, to: router, service.receipt)
        add(Endpoints.lanes, to: router, service.lanes)
        router.on(RouterPath(Endpoints.events.path), method: .get) { request, context in try await events(request, context) }
        return router.buildResponder()
    }

    private func add<Input, Output>(
        _ endpoint: Endpoint<Input, Output>, to router: Router<ControlContext>,
        answering status: @escaping @Sendable (Output) -> HTTPResponse.Status = { _ in .ok },
        _ call: @escaping @Sendable (Input, Peer) async throws(Problem) -> Output
    ) {
        let method: HTTPRequest.Method =
            switch endpoint.method {
            case .get: .get
            case .post: .post
            case .delete: .delete
            }
        router.on(RouterPath(endpoint.path), method: method) { request, context in
            let (input, peer) = try await admit(endpoint, request, context)
            let output = try await call(input, peer)
            return Response(
                status: status(output), headers: [.contentType: "application/json"],
                body: .init(byteBuffer: ByteBuffer(bytes: JSONCoding.encoded(output))))
        }
    }

    /// Checks the peer's rights before a byte of the body is read.
    private func admit<Input, Output>(
        _ endpoint: Endpoint<Input, Output>, _ request: Request, _ context: ControlContext
    ) async throws -> (Input, Peer) {
        guard let peer = await context.peer() else {
            throw Problem(.notPermitted, status: 403, title: "Not permitted", detail: "The system does not say who is asking.")
        }
        guard policy.access(of: peer) >= endpoint.access else {
            throw Problem(
                .notPermitted, status: 403, title: "Not permitted",
                detail: "Only the daemon’s own user and root may do this; you are user number \(peer.uid).",
                next: "Ask the administrator, or use sudo.")
        }
        var parameters: [String: String] = [:]
        for (name, value) in context.parameters { parameters[String(name)] = value.removingPercentEncoding ?? String(value) }
        for item in URLComponents(string: request.uri.description)?.queryItems ?? [] {
            guard parameters.updateValue(item.value ?? "", forKey: item.name) == nil else {
                throw Problem.invalid("The parameter ‘\(item.name)’ is given twice.")
            }
        }
        let body = endpoint.method == .get ? ByteBuffer() : try await request.body.collect(upTo: Self.largestBody)
        return (try Input(parameters: parameters, body: Data(body.readableBytesView)), peer)
    }

    private func events(_ request: Request, _ context: ControlContext) async throws -> Response {
        let (query, peer) = try await admit(Endpoints.events, request, context)
        let events = try await service.events(query, by: peer).cancelOnGracefulShutdown()
        // Two that are pulled: neither an event nor an empty line waits in memory for a listener that does not read.
        let ticks = AsyncTimerSequence(interval: quiet, clock: .continuous).map { _ in [Event]?.some([]) }
        let batches = chain(events.map { [Event]?.some($0) }, [[Event]?.none].async)
        return Response(
            status: .ok, headers: [.contentType: "application/x-ndjson"],
            body: ResponseBody { writer in
                for await batch in merge(batches, ticks) {
                    guard let batch else { break }
                    try await writer.write(Self.lines(batch))
                }
                try await writer.finish(nil)
            })
    }

    /// A line for each event; an empty one where there is none.
    private static func lines(_ events: [Event]) -> ByteBuffer {
        var lines = ByteBuffer()
        for event in events {
            lines.writeBytes(JSONCoding.encoded(event))
            lines.writeString("\n")
        }
        if events.isEmpty { lines.writeString("\n") }
        return lines
    }
}
