import Foundation

/// A JSON value for fields, templates and answers; never used to rewrite payloads.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// In canonical form.
    case int(Int64)
    /// The number's text, unchanged: an id of twenty digits must not lose digits.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    package init(number text: String) {
        if let whole = Int64(text), String(whole) == text { self = .int(whole) } else { self = .number(text) }
    }

    /// Compact with sorted keys, so equal values give equal bytes.
    package var serialized: Data {
        var bytes = Data()
        write(to: &bytes)
        return bytes
    }

    package var string: String? { if case .string(let text) = self { text } else { nil } }

    /// For a path, a header or an id; nil for null, arrays and objects.
    package var text: String? {
        switch self {
        case .string(let text), .number(let text): text
        case .int(let whole): String(whole)
        case .bool(let flag): String(flag)
        case .null, .array, .object: nil
        }
    }

    /// The value as an id: a number by its value, or a string that is not blank and has no control characters (SQLite cuts at a NUL).
    package var identifier: String? {
        switch self {
        case .int, .number: wholeDigits ?? text
        case .string(let text):
            text.allSatisfy(\.isWhitespace) || text.unicodeScalars.contains { $0.properties.generalCategory == .control } ? nil : text
        case .null, .bool, .array, .object: nil
        }
    }

    package subscript(key: String) -> JSONValue? { if case .object(let members) = self { members[key] } else { nil } }

    private func write(to bytes: inout Data) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool, .int, .number: bytes.append(contentsOf: (text ?? "null").utf8)
        case .string(let text): Self.write(text, to: &bytes)
        case .array(let items):
            bytes.append(UInt8(ascii: "["))
            for (index, item) in items.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                item.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            for (index, member) in sorted.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.write(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// RFC 8259 7.
    private static func write(_ text: String, to bytes: inout Data) {
        bytes.append(UInt8(ascii: "\""))
        defer { bytes.append(UInt8(ascii: "\"")) }
        let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        if isPlain { return bytes.append(contentsOf: text.utf8) }
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes.append(contentsOf: #"\""#.utf8)
            case UInt8(ascii: "\\"): bytes.append(contentsOf: #"\\"#.utf8)
            case 0x08: bytes.append(contentsOf: #"\b"#.utf8)
            case 0x0c: bytes.append(contentsOf: #"\f"#.utf8)
            case 0x0a: bytes.append(contentsOf: #"\n"#.utf8)
            case 0x0d: bytes.append(contentsOf: #"\r"#.utf8)
            case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
            case 0..<0x20: bytes.append(contentsOf: #"\u00"#.utf8 + [hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]])
            default: bytes.append(byte)
            }
        }
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .int(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
}
