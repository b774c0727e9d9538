import ControlAPI
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// A call of the control channel: an endpoint and the function that answers it, which throws `ProblemConvertible` errors.
package struct Call: Sendable {
    /// Method and path, such as `GET /v1/status`.
    package let name: String
    /// The lowest role that may call.
    package let access: Access
    let method: HTTPRequest.Method
    let path: String
    let respond: @Sendable (Request, ControlContext, Doorkeeper) async throws -> Response

    init<Input, Output>(
        _ endpoint: Endpoint<Input, Output>, respond: @escaping @Sendable (Request, ControlContext, Doorkeeper) async throws -> Response
    ) {
        method =
            switch endpoint.method {
            case .get: .get
            case .post: .post
            case .delete: .delete
            }
        (name, access, path) = (endpoint.name, endpoint.access, endpoint.path)
        self.respond = respond
    }

    /// `endsWithClient` cancels the work when the client is gone.
    package init<Input, Output>(
        _ endpoint: Endpoint<Input, Output>, endsWithClient: Bool = false,
        _ work: @escaping @Sendable (Input, Caller) async throws -> Output
    ) {
        self.init(
            endpoint,
            respond: { request, context, doorkeeper in
                let output: Output = try await doorkeeper.perform(endpoint, request, context) { input, caller in
                    guard endsWithClient else { return try await work(input, caller) }
                    return try await context.channel.whileOpen { try await work(input, caller) }
                }
                return Response(
                    status: .success(of: output), headers: [.contentType: "application/json"],
                    body: .init(byteBuffer: ByteBuffer(bytes: JSONCoding.encoded(output))))
            })
    }

    /// Sends a copy of the store as a file.
    package static func backup(_ work: @escaping @Sendable (NoInput, Caller) async throws -> Download) -> Call {
        Call(
            Endpoints.backup,
            respond: { request, context, doorkeeper in
                let file: Download = try await doorkeeper.perform(Endpoints.backup, request, context) { input, caller in
                    try await work(input, caller)
                }
                return Response(
                    status: .ok, headers: [.contentType: "application/vnd.sqlite3"],
                    body: ResponseBody(contentLength: file.size) { writer in
                        while case let part = try file.next(), !part.isEmpty { try await writer.write(ByteBuffer(bytes: part)) }
                        try await writer.finish(nil)
                    })
            })
    }

    /// Sends the OpenAPI description.
    package static let openapi = Call(
        Endpoints.openapi,
        respond: { request, context, doorkeeper in
            try await doorkeeper.admit(Endpoints.openapi, request, context) { _, _ in
                Response(
                    status: .ok, headers: [.contentType: "application/yaml"],
                    body: .init(byteBuffer: ByteBuffer(bytes: InterfaceDescription.yaml)))
            }
        })
}
