import Foundation
import JSON
import SyncModel

extension BodyTemplate {
    /// Compact JSON in template order; payload bytes are unchanged.
    func render(_ values: TemplateValues) throws(Failure) -> Data {
        var out = Data()
        _ = try append(to: &out, values)
        return out
    }

    /// False if optional and absent.
    private func append(to out: inout Data, _ values: TemplateValues) throws(Failure) -> Bool {
        switch self {
        case .literal(let value): out.append(value.serialized)
        case .text(let template): out.append(JSONValue.string(try template.render(values)).serialized)
        case .field(let placeholder):
            guard let value = try values.value(placeholder) else { return false }
            out.append(value.serialized)
        case .payload(let marker):
            guard let mutation = values.mutation, let payload = mutation.payload else {
                throw Failure(.profile, "\(values.subject) needs a JSON document as its payload.")
            }
            if let marker { out.append(payload, adding: marker, mutation.id.description) } else { out.append(payload) }
        case .list(let items):
            try appendAll(items, to: &out, "[", "]") { item, out throws(Failure) in try item.append(to: &out, values) }
        case .object(let members):
            try appendAll(members, to: &out, "{", "}") { member, out throws(Failure) in
                out.append(JSONValue.string(member.key).serialized)
                out.append(UInt8(ascii: ":"))
                return try member.value.append(to: &out, values)
            }
        }
        return true
    }

    /// Omits absent elements.
    private func appendAll<Element>(
        _ elements: [Element], to out: inout Data, _ open: Unicode.Scalar, _ close: Unicode.Scalar,
        _ append: (Element, inout Data) throws(Failure) -> Bool
    ) throws(Failure) {
        out.append(UInt8(ascii: open))
        var isFirst = true
        for element in elements {
            let end = out.count
            if !isFirst { out.append(UInt8(ascii: ",")) }
            if try append(element, &out) { isFirst = false } else { out.removeSubrange(end...) }
        }
        out.append(UInt8(ascii: close))
    }
}

extension Data {
    fileprivate mutating func append(_ object: Data, adding key: String, _ value: String) {
        guard let close = object.lastIndex(of: UInt8(ascii: "}")) else { return append(object) }
        let isEmpty = object[..<close].last { !$0.isJSONSpace } == UInt8(ascii: "{")
        append(object[..<close])
        if !isEmpty { append(UInt8(ascii: ",")) }
        append(JSONValue.string(key).serialized)
        append(UInt8(ascii: ":"))
        append(JSONValue.string(value).serialized)
        append(object[close...])
    }
}
