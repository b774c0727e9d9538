/// A JSON value in memory. Objects do not keep the order of their keys; whole numbers are exact, and others keep their value but not their
/// spelling.
package enum JSON: Sendable, Equatable {
    case null
    case bool(Bool)
    case int(Int)
    /// A whole number that is no `Int`, as its digits, with a minus where it is negative.
    case large(String)
    case double(Double)
    case string(String)
    case array([JSON])
    case object(JSONObject)

    /// The member of an object, nil when there is none or this is not an object.
    package subscript(key: String) -> JSON? { members?[key] }

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
        case .int(let value): value
        case .string(let text): Int(text)
        default: nil
        }
    }

    /// The value of a number; text that looks like one is not a number.
    package var number: Double? {
        switch self {
        case .int(let value): Double(value)
        case .large(let digits): Double(digits)
        case .double(let value): value
        default: nil
        }
    }
}

/// The members of a JSON object.
package typealias JSONObject = [String: JSON]

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral {
    package init(stringLiteral value: String) { self = .string(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(nilLiteral: ()) { self = .null }
}

extension JSON: ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    package init(integerLiteral value: Int) { self = .int(value) }
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSON)...) { self = .object(JSONObject(uniqueKeysWithValues: elements)) }
}

extension JSON {
    /// A whole number, or null.
    package static func integer(_ value: Int?) -> JSON { value.map { .int($0) } ?? .null }

    /// A decimal number, or null.
    package static func decimal(_ value: Double?) -> JSON { value.map { .double($0) } ?? .null }

    /// Text, or null.
    package static func text(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }
}
