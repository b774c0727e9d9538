import ControlAPI
import HTTPTypes
import Hummingbird

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
        // A second Host, which is ambiguous (RFC 9112 3.2).
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
