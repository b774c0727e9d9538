import Foundation
import SyncModel

/// A request with placeholders: everything but credentials.
struct RequestTemplate: Sendable {
    let method: String
    let url: TextTemplate
    var headers: [HeaderTemplate]
    var body: Body?
    let timeout: Duration?

    struct HeaderTemplate: Sendable {
        let name: String
        let value: TextTemplate
    }

    enum Body: Sendable {
        case json(BodyTemplate)
        case form([HeaderTemplate])
    }

    /// The JSON template of the body, where there is one.
    var json: BodyTemplate? { if case .json(let template) = body { template } else { nil } }

    /// All of its placeholders, in no order.
    var placeholders: [Placeholder] {
        let inBody =
            switch body {
            case .json(let template): template.placeholders
            case .form(let fields): fields.flatMap(\.value.placeholders)
            case nil: [Placeholder]()
            }
        return url.placeholders + headers.flatMap(\.value.placeholders) + inBody
    }

    /// The request; pure: the same values give the same bytes.
    func render(_ values: TemplateValues) throws(Failure) -> OutboundRequest {
        var request = OutboundRequest(method: method, url: try renderURL(values), timeout: timeout)
        for header in headers {
            if let sole = header.value.solePlaceholder, sole.isOptional, try values.value(sole) == nil { continue }
            let value = try header.value.render(values)
            guard !value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f }) else {
                throw Failure(.profile, "\(values.subject) got a line break or control character for the header \(header.name).")
            }
            request.headers.append(HeaderField(header.name, value))
        }
        switch body {
        case .json(let template):
            request.body = try template.render(values)
            request.headers.append(HeaderField("Content-Type", "application/json"))
        case .form(let fields):
            var pairs: [String] = []
            for field in fields { pairs.append("\(Self.encode(field.name))=\(Self.encode(try field.value.render(values)))") }
            request.body = Data(pairs.joined(separator: "&").utf8)
            request.headers.append(HeaderField("Content-Type", "application/x-www-form-urlencoded"))
        case nil: break
        }
        return request
    }

    private func renderURL(_ values: TemplateValues) throws(Failure) -> String {
        try url.render(values) { text, placeholder throws(Failure) in
            // An empty or dotted segment would name another resource.
            guard !text.isEmpty, text != ".", text != ".." else {
                throw Failure(.profile, "\(values.subject) cannot take \"\(text)\" as \(TemplateValues.label(placeholder)).")
            }
            return Self.encode(text)
        }
    }

    /// Percent-encodes all but unreserved characters (RFC 3986 2.3).
    private static func encode(_ text: String) -> String {
        text.utf8.map { byte in
            let scalar = Unicode.Scalar(byte)
            return byte < 0x80
                && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil || "-._~".unicodeScalars.contains(scalar))
                ? String(scalar) : String(format: "%%%02X", byte)
        }.joined()
    }
}
