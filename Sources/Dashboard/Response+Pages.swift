import CResources
import HTTPTypes
import HummingbirdCore
import NIOCore

extension Response {
    static func page(_ html: HTML, status: Int = 200) -> Response {
        let body = ByteBuffer(string: html.source)
        return Response(
            status: HTTPResponse.Status(code: status), headers: fields("text/html; charset=utf-8"), body: ResponseBody(byteBuffer: body))
    }

    /// Ends the connection.
    static func refusal(_ html: HTML, status: Int) -> Response {
        var response = page(html, status: status)
        response.headers[.connection] = "close"
        return response
    }

    static func asset(_ asset: Asset) -> Response {
        Response(status: .ok, headers: fields(asset.type), body: ResponseBody(byteBuffer: asset.body))
    }

    static func redirect(_ address: String, cookie: String? = nil) -> Response {
        var headers = fields("text/plain")
        headers[.location] = address
        headers[.setCookie] = cookie
        return Response(status: .seeOther, headers: headers)
    }

    /// Server-sent events, until `write` returns or the browser leaves.
    static func stream(_ write: @escaping @Sendable (any ResponseBodyWriter) async throws -> Void) -> Response {
        Response(
            status: .ok, headers: fields("text/event-stream"),
            body: ResponseBody { writer in
                try await write(writer)
                try await writer.finish(nil)
            })
    }

    /// Every answer has them, also a refusal.
    private static func fields(_ type: String) -> HTTPFields {
        var fields = HTTPFields()
        fields[.contentType] = type
        fields[.cacheControl] = "no-store"
        for (name, value) in security {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return fields
    }

    /// Nothing from elsewhere, no script or style within a page, and no frame around it. With `no-referrer`, forms would be sent without an origin.
    private static let security = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
                + "frame-ancestors 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"), ("Referrer-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ]
}

/// A file of the page, compiled in. All responses share its bytes.
struct Asset: Sendable {
    let body: ByteBuffer
    let type: String

    private init(_ file: CResource, _ type: String) {
        body = ByteBuffer(bytes: UnsafeBufferPointer(start: file.bytes, count: file.count))
        self.type = type
    }

    private static let all = [
        "style.css": Asset(resource_style(), "text/css; charset=utf-8"),
        "page.js": Asset(resource_script(), "text/javascript; charset=utf-8"),
        "icon.svg": Asset(resource_icon(), "image/svg+xml"),
    ]

    static func named(_ path: [String]) -> Asset? { path.count == 1 ? all[path[0]] : nil }
}
