extension StringProtocol {
    /// The leading integer of the text, or 0, like Ruby's `to_i`.
    var rubyInteger: Int {
        let text = trimmingSpaces()
        let sign = text.first == "-" || text.first == "+" ? text.prefix(1) : ""
        let digits = text.dropFirst(sign.count).prefix { $0.isASCII && $0.isNumber }
        return Int(sign + digits) ?? 0
    }
}

extension JSON {
    /// The id that Rails makes of the value; 0 matches no row.
    var rowID: Int {
        switch self {
        case .int(let value): value
        case .double(let value): Int(exactly: value.rounded(.towardZero)) ?? 0
        case .string(let text): text.rubyInteger
        default: 0
        }
    }

    /// Rails' `blank?`.
    var isBlank: Bool {
        switch self {
        case .null, .bool(false): true
        case .string(let text): text.allSatisfy(\.isWhitespace)
        case .array(let elements): elements.isEmpty
        case .object(let members): members.isEmpty
        default: false
        }
    }

    /// Ruby's `inspect`.
    var rubyInspection: String {
        switch self {
        case .null: "nil"
        case .double(let value): value.isInfinite ? (value < 0 ? "-Infinity" : "Infinity") : value.description
        case .array(let elements): "[\(elements.map(\.rubyInspection).joined(separator: ", "))]"
        case .object(let members):
            "{\(members.sorted { $0.key < $1.key }.map { "\(JSON.string($0).rubyInspection)=>\($1.rubyInspection)" }.joined(separator: ", "))}"
        default: description
        }
    }

    var rubyClass: String {
        switch self {
        case .null: "NilClass"
        case .bool(let value): value ? "TrueClass" : "FalseClass"
        case .int, .large: "Integer"
        case .double: "Float"
        case .string: "String"
        case .array: "Array"
        case .object: "Hash"
        }
    }

    /// Without nulls in arrays, at any depth, as Rails parses parameters.
    var withoutNullElements: JSON {
        switch self {
        case .array(let elements): .array(elements.filter { $0 != .null }.map(\.withoutNullElements))
        case .object(let members): .object(members.mapValues(\.withoutNullElements))
        default: self
        }
    }

    var levels: Int {
        switch self {
        case .array(let elements): 1 + (elements.map(\.levels).max() ?? 0)
        case .object(let members): 1 + (members.values.map(\.levels).max() ?? 0)
        default: 0
        }
    }
}
