import HTTPTypes

/// One response, before a fault changes its delivery.
package struct SandboxResponse: Sendable {
    package var status: Int
    package var headers: HTTPFields
    package var body: [UInt8]

    package init(status: Int, headers: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package static func json(_ status: Int, _ body: JSON, charset: String = "utf-8") -> SandboxResponse {
        SandboxResponse(status: status, headers: [.contentType: "application/json; charset=\(charset)"], body: body.bytes)
    }

    package static func html(_ status: Int, title: String, charset: String = "utf-8") -> SandboxResponse {
        let page = "<!DOCTYPE html>\n<html>\n<head><title>\(title)</title></head>\n<body><h1>\(title)</h1></body>\n</html>\n"
        return SandboxResponse(status: status, headers: [.contentType: "text/html; charset=\(charset)"], body: Array(page.utf8))
    }

    /// The reason phrases of current Rails; the error pages contain them.
    package static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 204: "No Content"
        case 302: "Found"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 406: "Not Acceptable"
        case 413: "Content Too Large"
        case 422: "Unprocessable Content"
        case 423: "Locked"
        case 429: "Too Many Requests"
        case 500: "Internal Server Error"
        case 503: "Service Unavailable"
        default: ""
        }
    }
}
