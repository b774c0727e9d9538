import ControlAPI
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// An error that a service may throw; others become internal errors.
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
