import ControlAPI
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// An error that a service may throw; any other one is answered as an internal error.
package protocol ProblemConvertible: Error {
    var problem: Problem { get }
}

extension Problem: ProblemConvertible {
    package var problem: Problem { self }
}

/// Converts errors to application/problem+json (RFC 9457).
struct ProblemMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: ControlContext, next: (Request, ControlContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as any ProblemConvertible {
            return Self.response(error.problem)
        } catch let error as HTTPError {
            return Self.response(Self.problem(error.status, error.body, request))
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            context.logger.error("Call failed unexpectedly", metadata: ["error": "\(error)"])
            return Self.response(
                Problem(
                    .internalError, status: 500, title: "The daemon failed", detail: "An unexpected error occurred in the daemon.",
                    next: "See its log: journalctl -u homingd. All acknowledged entries are safe."))
        }
    }

    private static func problem(_ status: HTTPResponse.Status, _ words: String?, _ request: Request) -> Problem {
        switch status.code {
        case 404: .notFound("There is no call \(request.method.rawValue) \(request.uri.path).")
        case 405:
            Problem(
                .invalidRequest, status: 405, title: "Method not allowed",
                detail: "\(request.uri.path) does not support \(request.method.rawValue).")
        default:
            Problem(
                .invalidRequest, status: status.code, title: "Invalid request", detail: words ?? status.reasonPhrase)
        }
    }

    static func response(_ problem: Problem) -> Response {
        var headers: HTTPFields = [.contentType: "application/problem+json"]
        if problem.code == .busy { headers[.retryAfter] = "1" }
        return Response(
            status: .init(code: problem.status), headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: JSONCoding.encoded(problem))))
    }
}

/// Rejects requests that a web page could send: browser-only headers or another host (DNS rebinding).
struct LocalOnlyMiddleware: RouterMiddleware {
    private static let hosts: Set<String> = ["", "homing", "localhost"]
    private static let marks = ["Origin", "Referer", "Sec-Fetch-Site", "Sec-Fetch-Mode", "Sec-Fetch-Dest", "Sec-Fetch-User"]
        .compactMap { HTTPField.Name($0) }
    private static let host = HTTPField.Name("Host")

    func handle(
        _ request: Request, context: ControlContext, next: (Request, ControlContext) async throws -> Response
    ) async throws -> Response {
        for name in Self.marks where request.headers[name] != nil {
            throw Problem(
                .notPermitted, status: 403, title: "Not permitted", detail: "Requests with the header \(name.canonicalName) are refused.",
                next: "Call from a program, not from a web page.")
        }
        // `headers` holds no first Host, so this is a second one, which is ambiguous (RFC 9112 3.2).
        if let host = Self.host, request.headers[host] != nil {
            throw Problem(
                .invalidRequest, status: 400, title: "Invalid request", detail: "The request names more than one host.",
                next: "Send one Host header.")
        }
        let host = (request.head.authority ?? "").split(separator: ":").first.map(String.init) ?? ""
        guard Self.hosts.contains(host.lowercased()) else {
            throw Problem(
                .notPermitted, status: 403, title: "Not permitted", detail: "Requests for the host ‘\(host)’ are refused.",
                next: "Use http://homing/ or http://localhost/ as the base URL.")
        }
        return try await next(request, context)
    }
}
