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

    /// Reads a whole document, which may be a scalar; nil where it is not JSON, or a number is beyond a double.
    ///
    /// Whole numbers that fit are `int`, all others the nearest `double`. By JSONDecoder, because JSONSerialization on Linux is off in the
    /// last digits of many numbers; trailing commas and a byte order mark pass, and a server that minds them will say so.
    ///
    /// For small documents of our own: the kind of each value is found out by trying, and a try that fails takes as long as the square of the
    /// value's depth. 4 KB of flags at 500 levels take ten seconds. Nothing that others wrote is read so.
    package init?(parsing data: Data) {
        // `try?`: the reason is of no use to a caller that only asks whether this is JSON.
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: data) else { return nil }
        self = value
    }

    /// What a command line or a query string means by `text`: a JSON scalar where it reads as one, else the text itself.
    package init(argument text: String) {
        // What does not begin as a scalar is none, and is not read: it might take long.
        guard let first = text.utf8.first(where: { $0 > 0x20 }), "-0123456789\"tfn".utf8.contains(first) else {
            self = .string(text)
            return
        }
        switch JSONValue(parsing: Data(text.utf8)) {
        // An id such as 5e1, or one with more digits than fit, would come out of a number as another id.
        case .int(let whole) where String(whole) != text: self = .string(text)
        case .double where !text.contains("."): self = .string(text)
        case .some(let value): self = value
        case nil: self = .string(text)
        }
    }

    /// Compact, with sorted keys: the same value, the same bytes.
    package var serialized: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // A value of this type always encodes: it holds no NaN, for JSON has none.
        return (try? encoder.encode(self)) ?? Data("null".utf8)
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
        // `try?`: what is no object is tried as an array.
        if let scalar = JSONValue(scalarIn: container) {
            self = scalar
        } else if let members = try? container.decode([String: JSONValue].self) {
            self = .object(members)
        } else {
            self = .array(try container.decode([JSONValue].self))
        }
    }

    /// The scalar that stands there; nil where it is none, or a number beyond a double.
    package init?(scalarIn container: any SingleValueDecodingContainer) {
        // `try?`: what is not of this type is tried as the next one. Numbers come first: most values are.
        if container.decodeNil() {
            self = .null
        } else if let whole = try? container.decode(Int64.self) {
            self = .int(whole)
        } else if let number = try? container.decode(Double.self) {
            self = .double(number)
        } else if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if let flag = try? container.decode(Bool.self) {
            self = .bool(flag)
        } else {
            return nil
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
