import Foundation

/// A JSON document in memory. Payloads are never rewritten through it: it reads answers and carries item fields.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Reads a whole document, which may be a scalar; nil where it is not JSON (RFC 8259) in UTF-8, or a number is beyond a double.
    ///
    /// Whole numbers that fit are `int`, all others the nearest `double`. Of members of the same name the last one counts.
    package init?(parsing data: Data) {
        let value = data.withUnsafeBytes { bytes -> JSONValue? in
            var reader = JSONReader(bytes)
            return try? reader.document()  // `try?`: there is but one error, and nil says it
        }
        guard let value else { return nil }
        self = value
    }

    /// What a command line or a query string means by `text`: a JSON scalar where it reads as one, else the text itself.
    package init(argument text: String) {
        switch JSONValue(parsing: Data(text.utf8)) {
        // An id such as 5e1, or one with more digits than fit, would come out of a number as another id.
        case .double where !text.contains("."): self = .string(text)
        case .some(let value) where value.isScalar: self = value
        default: self = .string(text)
        }
    }

    /// Compact, with sorted keys: the same value, the same bytes.
    package var serialized: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // A value of this type always encodes: it holds no NaN, for JSON has none.
        return (try? encoder.encode(self)) ?? Data("null".utf8)
    }

    package var isScalar: Bool {
        switch self {
        case .array, .object: false
        default: true
        }
    }

    package var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The value as text in a path, a header or an id: strings as they are, numbers in JSON's form; nil for null, arrays and objects.
    package var text: String? {
        switch self {
        case .string(let text): text
        case .bool, .int, .double: String(decoding: serialized, as: UTF8.self)
        case .null, .array, .object: nil
        }
    }

    package subscript(key: String) -> JSONValue? { if case .object(let members) = self { members[key] } else { nil } }
}

extension JSONValue: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let text = try? container.decode(String.self) {  // `try?`: the next type is tried
            self = .string(text)
        } else if let flag = try? container.decode(Bool.self) {
            self = .bool(flag)
        } else if let whole = try? container.decode(Int64.self) {
            self = .int(whole)
        } else if let number = try? container.decode(Double.self) {
            self = .double(number)
        } else if let items = try? container.decode([JSONValue].self) {
            self = .array(items)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let flag): try container.encode(flag)
        case .int(let whole): try container.encode(whole)
        case .double(let number): try container.encode(number)
        case .string(let text): try container.encode(text)
        case .array(let items): try container.encode(items)
        case .object(let members): try container.encode(members)
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .int(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
}
