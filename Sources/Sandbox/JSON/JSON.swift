/// A JSON value that keeps the order of its keys and the spelling of its numbers, so that what was stored is echoed as it came.
package indirect enum JSON: Sendable, Equatable {
    case null
    case bool(Bool)
    /// The number as it was written.
    case number(String)
    case string(String)
    case array([JSON])
    case object(JSONObject)

    /// The member of an object, nil when there is none or this is not an object.
    package subscript(key: String) -> JSON? {
        if case .object(let object) = self { object[key] } else { nil }
    }

    /// The text of a string.
    package var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The elements of an array.
    package var elements: [JSON]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members of an object.
    package var members: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// A whole number, also when it is written as text, as Rails takes identifiers.
    package var integer: Int? {
        switch self {
        case .number(let spelling), .string(let spelling): Int(spelling)
        default: nil
        }
    }

    /// The value of a number; text that looks like one is not a number.
    package var double: Double? {
        if case .number(let spelling) = self { Double(spelling) } else { nil }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral {
    package init(stringLiteral value: String) { self = .string(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(nilLiteral: ()) { self = .null }
}

extension JSON: ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    package init(integerLiteral value: Int) { self = .number(String(value)) }
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSON)...) { self = .object(JSONObject(elements)) }
}

extension JSON {
    /// A whole number, or null.
    package static func integer(_ value: Int?) -> JSON { value.map { .number(String($0)) } ?? .null }

    /// A decimal number, or null.
    package static func decimal(_ value: Double?) -> JSON { value.map { .number(String($0)) } ?? .null }

    /// Text, or null.
    package static func text(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }
}
