extension StringProtocol {
    /// The whole number with which the text begins, as Ruby's `to_i` reads it: 0 where it begins with none.
    var rubyInteger: Int {
        let text = trimmingSpaces()
        let sign = text.first == "-" || text.first == "+" ? text.prefix(1) : ""
        let digits = text.dropFirst(sign.count).prefix { $0.isASCII && $0.isNumber }
        return Int(sign + digits) ?? 0
    }
}

extension JSON {
    /// The number of a row, as Rails casts what a client sends for one; 0 is no row's.
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

    /// The name of Ruby's class.
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

    /// Without the nulls of its lists, at any depth, as Rails takes parameters.
    var withoutNullElements: JSON {
        switch self {
        case .array(let elements): .array(elements.filter { $0 != .null }.map(\.withoutNullElements))
        case .object(let members): .object(members.mapValues(\.withoutNullElements))
        default: self
        }
    }

    /// Levels of lists and objects.
    var levels: Int {
        switch self {
        case .array(let elements): 1 + (elements.map(\.levels).max() ?? 0)
        case .object(let members): 1 + (members.values.map(\.levels).max() ?? 0)
        default: 0
        }
    }
}
