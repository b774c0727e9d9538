import Crypto
import Foundation
import HTTPTypes

extension SandboxResponse {
    /// Adds an ETag; becomes a 304 if a GET or HEAD has the same ETag in If-None-Match.
    func conditional(on request: SandboxRequest) -> SandboxResponse {
        let digest = SHA256.hash(data: body).prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        var response = self
        response.headers[.eTag] = "W/\"\(digest)\""
        guard ["GET", "HEAD"].contains(request.method), request.headers[.ifNoneMatch] == response.headers[.eTag] else { return response }
        response.headers[.contentType] = nil
        return SandboxResponse(status: 304, headers: response.headers)
    }
}
