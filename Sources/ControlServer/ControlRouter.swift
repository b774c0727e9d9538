import AsyncAlgorithms
import ControlAPI
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle

/// Routes each endpoint to its service method.
struct ControlRouter {
    let service: any ControlService
    let limits: ControlLimits
    let doorkeeper: Doorkeeper
    let audit: Audit

    init(service: any ControlService, policy: AccessPolicy, limits: ControlLimits, log: Logger) {
        self.service = service
        self.limits = limits
        audit = Audit(log: log)
        doorkeeper = Doorkeeper(policy: policy, limits: limits, audit: audit, service: service)
    }

    var calls: [Call] {
        [
            call(Endpoints.status, service.status),
            call(Endpoints.sessions, service.sessions),
            call(Endpoints.signIn, on: { $1?.backend ?? $0.backend }, answering: { _ in .created }, service.signIn),
            call(Endpoints.signOut, on: { $1?.backend ?? $0.backend }, service.signOut),
            call(Endpoints.submit, on: { $1?.id ?? $0.id }, answering: { $0.duplicate ? .ok : .created }, service.submit),
            call(Endpoints.entries, service.entries),
            call(Endpoints.entry, service.entry),
            call(Endpoints.why, service.why),
            call(Endpoints.retry, on: { $1?.id ?? $0.id }, service.retry),
            call(Endpoints.fix, on: { $1?.id ?? $0.id }, answering: { $0.duplicate ? .ok : .created }, service.fix),
            call(Endpoints.resolve, on: { $1?.id ?? $0.id }, service.resolve),
            call(Endpoints.discard, on: { $1?.id ?? $0.id }, service.discard),
            call(Endpoints.restore, on: { $1?.id ?? $0.id }, service.restore),
            call(Endpoints.export, on: { $1?.entry.id ?? $0.id }, service.export),
            call(Endpoints.key, service.key),
            call(Endpoints.rotateKey, service.rotateKey),
            call(Endpoints.copyKey, service.copyKey),
            call(Endpoints.sync, on: { input, _ in input.backend ?? "all" }, service.sync),
            call(Endpoints.claim, on: { $1?.account }, service.claim),
            call(Endpoints.discardFile, on: { input, _ in input.name }, service.discardFile),
            call(Endpoints.pause, on: { input, _ in input.backend ?? "all" }, service.pause),
            call(Endpoints.resume, on: { input, _ in input.backend ?? "all" }, service.resume),
            call(Endpoints.receipts, service.receipts),
            call(Endpoints.receipt, service.receipt),
            call(Endpoints.doctor, endsWithClient: true, service.doctor),
            call(Endpoints.stats, service.stats),
            call(Endpoints.audit, service.audit),
            call(Endpoints.lanes, service.lanes),
            call(Endpoints.backends, service.backends),
            call(Endpoints.rosters, service.rosters),
            call(Endpoints.roster, service.roster),
            call(Endpoints.refreshRoster, on: { input, _ in input.resource }, service.refreshRoster),
            Call(Endpoints.backup) { request, context in try await backup(request, context) },
            Call(Endpoints.events) { request, context in try await events(request, context) },
            Call(Endpoints.openapi) { request, context in
                try await doorkeeper.admit(Endpoints.openapi, request, context) { _, _ in
                    Response(
                        status: .ok, headers: [.contentType: "application/yaml"],
                        body: .init(byteBuffer: ByteBuffer(bytes: InterfaceDescription.yaml)))
                }
            },
        ]
    }

    func responder() -> some HTTPResponder<ControlContext> {
        let router = Router(context: ControlContext.self)
        router.addMiddleware {
            ProblemMiddleware()
            LocalOnlyMiddleware()
            HeaderLimitMiddleware(limit: limits.header)
        }
        for call in calls { router.on(RouterPath(call.path), method: call.method, use: call.respond) }
        return router.buildResponder()
    }

    /// `target` is the object of a changing call, for the log. `endsWithClient` cancels the work when the client is gone.
    private func call<Input, Output>(
        _ endpoint: Endpoint<Input, Output>,
        on target: @escaping @Sendable (Input, Output?) -> String? = { input, _ in input.parameters["id"] ?? input.parameters["backend"] },
        answering status: @escaping @Sendable (Output) -> HTTPResponse.Status = { _ in .ok }, endsWithClient: Bool = false,
        _ work: @escaping @Sendable (Input, Caller) async throws -> Output
    ) -> Call {
        Call(endpoint) { request, context in
            try await doorkeeper.admit(endpoint, request, context) { input, caller in
                let output: Output
                do {
                    if endsWithClient {
                        output = try await context.channel.whileOpen { try await work(input, caller) }
                    } else {
                        output = try await work(input, caller)
                    }
                } catch let error as any ProblemConvertible {
                    audit.failed(endpoint, on: target(input, nil), by: caller.peer, error.problem)
                    throw error
                }
                audit.done(endpoint, on: target(input, output), by: caller.peer, status(output).code)
                return Response(
                    status: status(output), headers: [.contentType: "application/json"],
                    body: .init(byteBuffer: ByteBuffer(bytes: JSONCoding.encoded(output))))
            }
        }
    }

    private func backup(_ request: Request, _ context: ControlContext) async throws -> Response {
        let file = try await doorkeeper.admit(Endpoints.backup, request, context) { input, caller in
            let file: Download
            do { file = try await service.backup(input, by: caller) } catch let error as any ProblemConvertible {
                audit.failed(Endpoints.backup, on: nil, by: caller.peer, error.problem)
                throw error
            }
            audit.done(Endpoints.backup, on: nil, by: caller.peer, 200)
            return file
        }
        return Response(
            status: .ok, headers: [.contentType: "application/vnd.sqlite3"],
            body: ResponseBody(contentLength: file.size) { writer in
                while case let part = try file.next(), !part.isEmpty { try await writer.write(ByteBuffer(bytes: part)) }
                try await writer.finish(nil)
            })
    }

    private func events(_ request: Request, _ context: ControlContext) async throws -> Response {
        let events = try await doorkeeper.admit(Endpoints.events, request, context) { query, caller in
            try await service.events(query, by: caller).cancelOnGracefulShutdown()
        }
        // Both sequences are pulled, so nothing queues for a listener that does not read.
        let ticks = AsyncTimerSequence(interval: limits.heartbeat, clock: .continuous).map { _ in [Event]?.some([]) }
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

    /// One line per event, or one empty line.
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

struct Call: Sendable {
    let method: HTTPRequest.Method
    let path: String
    let access: Access
    let respond: @Sendable (Request, ControlContext) async throws -> Response

    init<Input, Output>(
        _ endpoint: Endpoint<Input, Output>, respond: @escaping @Sendable (Request, ControlContext) async throws -> Response
    ) {
        method =
            switch endpoint.method {
            case .get: .get
            case .post: .post
            case .delete: .delete
            }
        path = endpoint.path
        access = endpoint.access
        self.respond = respond
    }
}
