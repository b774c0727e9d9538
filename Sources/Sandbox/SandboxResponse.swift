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

    func adding(_ more: HTTPFields) -> SandboxResponse {
        var response = self
        response.headers.append(contentsOf: more)
        return response
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

    /// Tokens in the body and cookie values.
    package var secrets: [String] {
        var found: [String] = headers[values: .setCookie].compactMap { line in
            line.split(separator: ";").first?.split(separator: "=", maxSplits: 1).dropFirst().first.map(String.init)
        }
        // `try?`: a body that is not JSON holds no token.
        if let json = try? JSON(bytes: body) { Self.collect(json, into: &found) }
        return found.filter { $0.utf8.count >= 16 }
    }

    private static func collect(_ json: JSON, into found: inout [String]) {
        for element in json.elements ?? [] { collect(element, into: &found) }
        for (name, value) in json.members ?? [:] {
            let isToken = name.lowercased().hasSuffix("token")
            if isToken, let text = value.text { found.append(text) } else { collect(value, into: &found) }
        }
    }
}
