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
            call(Endpoints.signIn, service.signIn),
            call(Endpoints.signOut, service.signOut),
            call(Endpoints.submit, service.submit),
            call(Endpoints.entries, service.entries),
            call(Endpoints.entry, service.entry),
            call(Endpoints.why, service.why),
            call(Endpoints.retry, service.retry),
            call(Endpoints.fix, service.fix),
            call(Endpoints.resolve, service.resolve),
            call(Endpoints.discard, service.discard),
            call(Endpoints.restore, service.restore),
            call(Endpoints.export, service.export),
            call(Endpoints.key, service.key),
            call(Endpoints.rotateKey, service.rotateKey),
            call(Endpoints.copyKey, service.copyKey),
            call(Endpoints.sync, service.sync),
            call(Endpoints.claim, service.claim),
            call(Endpoints.discardFile, service.discardFile),
            call(Endpoints.pause, service.pause),
            call(Endpoints.resume, service.resume),
            call(Endpoints.receipts, service.receipts),
            call(Endpoints.receipt, service.receipt),
            call(Endpoints.doctor, endsWithClient: true, service.doctor),
            call(Endpoints.stats, service.stats),
            call(Endpoints.audit, service.audit),
            call(Endpoints.lanes, service.lanes),
            call(Endpoints.backends, service.backends),
            call(Endpoints.rosters, service.rosters),
            call(Endpoints.roster, service.roster),
            call(Endpoints.refreshRoster, service.refreshRoster),
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

    /// `endsWithClient` cancels the work when the client is gone.
    private func call<Input, Output>(
        _ endpoint: Endpoint<Input, Output>, endsWithClient: Bool = false,
        _ work: @escaping @Sendable (Input, Caller) async throws -> Output
    ) -> Call {
        Call(endpoint) { request, context in
            let output: Output = try await audited(endpoint, request, context) { input, caller in
                guard endsWithClient else { return try await work(input, caller) }
                return try await context.channel.whileOpen { try await work(input, caller) }
            }
            return Response(
                status: Self.status(of: output), headers: [.contentType: "application/json"],
                body: .init(byteBuffer: ByteBuffer(bytes: JSONCoding.encoded(output))))
        }
    }

    /// Admits the call, performs it and logs its outcome.
    private func audited<Input, Output, Answer: Sendable>(
        _ endpoint: Endpoint<Input, Output>, _ request: Request, _ context: ControlContext,
        _ work: (Input, Caller) async throws -> Answer
    ) async throws -> Answer {
        try await doorkeeper.admit(endpoint, request, context) { input, caller in
            let answer: Answer
            do { answer = try await work(input, caller) } catch let error as any ProblemConvertible {
                audit.failed(endpoint, on: input.auditTarget, by: caller.peer, error.problem)
                throw error
            }
            let target = (answer as? any AuditedResponse)?.auditTarget ?? input.auditTarget
            audit.done(endpoint, on: target, by: caller.peer, Self.status(of: answer).code)
            return answer
        }
    }

    private static func status(of answer: Any) -> HTTPResponse.Status {
        (answer as? any AuditedResponse)?.isCreation == true ? .created : .ok
    }

    private func backup(_ request: Request, _ context: ControlContext) async throws -> Response {
        let file = try await audited(Endpoints.backup, request, context) { input, caller in try await service.backup(input, by: caller) }
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
