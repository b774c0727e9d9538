/// A JSON value. Integers are exact; other numbers keep their value but not their spelling. Objects have no key order.
package enum JSON: Sendable, Equatable {
    case null
    case bool(Bool)
    case int(Int)
    /// The digits of an integer beyond `Int`, with a minus sign if negative.
    case large(String)
    case double(Double)
    case string(String)
    case array([JSON])
    case object(JSONObject)

    package subscript(key: String) -> JSON? { members?[key] }

    package var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    package var elements: [JSON]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    package var members: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The integer, also of a string that contains one: Rails accepts both as identifiers.
    package var integer: Int? {
        switch self {
        case .int(let value): value
        case .string(let text): Int(text)
        default: nil
        }
    }

    /// The value of a number; nil for a string.
    package var number: Double? {
        switch self {
        case .int(let value): Double(value)
        case .large(let digits): Double(digits)
        case .double(let value): value
        default: nil
        }
    }
}

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
    package static func integer(_ value: Int?) -> JSON { value.map { .int($0) } ?? .null }

    package static func decimal(_ value: Double?) -> JSON { value.map { .double($0) } ?? .null }

    package static func text(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }
}
