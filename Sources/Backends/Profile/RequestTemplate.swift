import Foundation
import JSON
import SyncModel

/// Without credentials.
package struct RequestTemplate: Sendable {
    let method: String
    package let url: TextTemplate
    var headers: [NamedTemplate]
    var body: Body?
    package let timeout: Duration?

    /// A header or form field.
    struct NamedTemplate: Sendable {
        let name: String
        let value: TextTemplate
    }

    enum Body: Sendable {
        case json(BodyTemplate)
        case form([NamedTemplate])
    }

    var json: BodyTemplate? { if case .json(let template) = body { template } else { nil } }

    var placeholders: [Placeholder] {
        let inBody =
            switch body {
            case .json(let template): template.placeholders
            case .form(let fields): fields.flatMap(\.value.placeholders)
            case nil: [Placeholder]()
            }
        return url.placeholders + headers.flatMap(\.value.placeholders) + inBody
    }

    /// The same values give the same bytes.
    package func render(_ values: TemplateValues) throws(Failure) -> OutboundRequest {
        var request = OutboundRequest(method: method, url: try renderURL(values), timeout: timeout)
        request.secrets = Set(values.secrets.values)
        for header in headers {
            if let sole = header.value.solePlaceholder, sole.isOptional, try values.value(sole) == nil { continue }
            let value = try header.value.render(values)
            guard !value.holdsControlCharacters else {
                throw Failure(.profile, "\(values.subject) cannot put a line break or control character into the header \(header.name).")
            }
            request.headers.append(HeaderField(header.name, value))
        }
        switch body {
        case .json(let template):
            request.body = try template.render(values)
            request.headers.append(HeaderField("Content-Type", "application/json"))
        case .form(let fields):
            var pairs: [String] = []
            for field in fields { pairs.append("\(field.name.percentEncoded)=\(try field.value.render(values).percentEncoded)") }
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
            return text.percentEncoded
        }
    }
}
