struct JSONReader {
    private let bytes: [UInt8]
    private let grammar: JSONGrammar
    private let watched: [String]?
    private var place = 0
    private var path: [String] = []
    /// The member names of the watched object, in order of first occurrence.
    private(set) var names: [String] = []

    /// - Parameter watched: the path of an object; `names` collects the names of its members.
    init(_ bytes: [UInt8], _ grammar: JSONGrammar, watching watched: [String]? = nil) {
        self.bytes = bytes
        self.grammar = grammar
        self.watched = watched
    }

    mutating func read() throws(JSONSyntaxError) -> JSON {
        let value = try value(level: 1)
        try skipSpace()
        guard place == bytes.count else { throw unexpected() }
        return value
    }

    private mutating func value(level: Int) throws(JSONSyntaxError) -> JSON {
        try skipSpace()
        switch current {
        case UInt8(ascii: "{"): return .object(try members(level))
        case UInt8(ascii: "["): return .array(try elements(level))
        case UInt8(ascii: "\""): return .string(try text())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func members(_ level: Int) throws(JSONSyntaxError) -> JSONObject {
        try enter(level)
        var members: JSONObject = [:]
        if try takes(UInt8(ascii: "}")) { return members }
        repeat {
            try skipSpace()
            let name = try text()
            guard try takes(UInt8(ascii: ":")) else { throw unexpected() }
            if path == watched, members[name] == nil { names.append(name) }
            path.append(name)
            members[name] = try value(level: level + 1)
            path.removeLast()
        } while try takes(UInt8(ascii: ","))
        guard try takes(UInt8(ascii: "}")) else { throw unexpected() }
        return members
    }

    private mutating func elements(_ level: Int) throws(JSONSyntaxError) -> [JSON] {
        try enter(level)
        var elements: [JSON] = []
        if try takes(UInt8(ascii: "]")) { return elements }
        repeat { elements.append(try value(level: level + 1)) } while try takes(UInt8(ascii: ","))
        guard try takes(UInt8(ascii: "]")) else { throw unexpected() }
        return elements
    }

    private mutating func enter(_ level: Int) throws(JSONSyntaxError) {
        guard level <= grammar.mostLevels else { throw JSONSyntaxError(description: "more than \(grammar.mostLevels) levels") }
        place += 1
    }

    private mutating func word(_ word: StaticString, _ value: JSON) throws(JSONSyntaxError) -> JSON {
        let wanted = Array("\(word)".utf8)
        guard bytes[place...].starts(with: wanted) else { throw unexpected() }
        place += wanted.count
        return value
    }

    private mutating func number() throws(JSONSyntaxError) -> JSON {
        let start = place
        if current == UInt8(ascii: "-") { place += 1 }
        let isZero = current == UInt8(ascii: "0")
        let count = digits()
        guard count > 0, !isZero || count == 1 else { throw unexpected() }
        var isWhole = true
        if current == UInt8(ascii: ".") {
            isWhole = false
            place += 1
            guard digits() > 0 else { throw unexpected() }
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            isWhole = false
            place += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { place += 1 }
            guard digits() > 0 else { throw unexpected() }
        }
        let text = String(decoding: bytes[start..<place], as: UTF8.self)
        if isWhole { return Int(text).map(JSON.int) ?? .large(text) }
        // `Double` reads an overflow as infinity, as Ruby does.
        return .double(Double(text) ?? 0)
    }

    private mutating func digits() -> Int {
        let start = place
        while let byte = current, (0x30...0x39).contains(byte) { place += 1 }
        return place - start
    }

    // MARK: Between the values

    private var current: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func takes(_ byte: UInt8) throws(JSONSyntaxError) -> Bool {
        try skipSpace()
        guard current == byte else { return false }
        place += 1
        return true
    }

    private mutating func skipSpace() throws(JSONSyntaxError) {
        while let byte = current {
            if byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
                place += 1
            } else if byte == UInt8(ascii: "/"), grammar.isLenient {
                try skipComment()
            } else {
                return
            }
        }
    }

    private mutating func skipComment() throws(JSONSyntaxError) {
        let rest = bytes[place...]
        if rest.starts(with: "//".utf8) {
            place = rest.firstIndex(of: 0x0A) ?? bytes.count
        } else if rest.starts(with: "/*".utf8),
            let end = rest.indices.dropFirst(2).first(where: { bytes[$0...].starts(with: "*/".utf8) })
        {
            place = end + 2
        } else {
            throw unexpected()
        }
    }

    private func unexpected() -> JSONSyntaxError {
        JSONSyntaxError(description: place < bytes.count ? "an unexpected character at byte \(place)" : "an unexpected end")
    }
}

extension JSONReader {
    private mutating func text() throws(JSONSyntaxError) -> String {
        guard current == UInt8(ascii: "\"") else { throw unexpected() }
        place += 1
        var out: [UInt8] = []
        while let byte = current {
            if byte == UInt8(ascii: "\"") {
                guard let text = String(validating: out, as: UTF8.self) else { throw unexpected() }
                place += 1
                return text
            }
            guard byte >= 0x20 else { throw unexpected() }
            place += 1
            if byte == UInt8(ascii: "\\") { try escape(into: &out) } else { out.append(byte) }
        }
        throw unexpected()
    }

    private mutating func escape(into out: inout [UInt8]) throws(JSONSyntaxError) {
        guard let byte = current else { throw unexpected() }
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): out.append(byte)
        case UInt8(ascii: "b"): out.append(0x08)
        case UInt8(ascii: "f"): out.append(0x0C)
        case UInt8(ascii: "n"): out.append(0x0A)
        case UInt8(ascii: "r"): out.append(0x0D)
        case UInt8(ascii: "t"): out.append(0x09)
        case UInt8(ascii: "u"): out += Array(String(try scalar()).utf8)
        case _ where grammar.isLenient: out.append(byte)
        default: throw unexpected()
        }
    }

    /// The character of a `\u` escape; reads both halves of a surrogate pair. A single surrogate is U+FFFD.
    private mutating func scalar() throws(JSONSyntaxError) -> Unicode.Scalar {
        let unit = try codeUnit()
        guard (0xD800...0xDBFF).contains(unit), bytes[place...].starts(with: "\\u".utf8) else { return Unicode.Scalar(unit) ?? "\u{FFFD}" }
        let before = place
        place += 2
        let low = try codeUnit()
        guard (0xDC00...0xDFFF).contains(low) else {
            place = before
            return "\u{FFFD}"
        }
        return Unicode.Scalar(0x10000 + (UInt32(unit - 0xD800) << 10) + UInt32(low - 0xDC00)) ?? "\u{FFFD}"
    }

    private mutating func codeUnit() throws(JSONSyntaxError) -> UInt16 {
        let digits = bytes[place...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw unexpected() }
        place += 4
        return unit
    }
}

package struct JSONGrammar: Sendable {
    /// The maximum nesting of arrays and objects.
    let mostLevels: Int
    /// Skips comments, and the backslash of an unknown escape sequence.
    let isLenient: Bool

    /// RFC 8259, with enough nesting for every response of a sandbox.
    package static let standard = JSONGrammar(mostLevels: 1000, isLenient: false)
    /// Ruby's parser: no NaN, no byte order mark, no trailing comma.
    package static let ruby = JSONGrammar(mostLevels: 100, isLenient: true)
}

package struct JSONSyntaxError: Error, CustomStringConvertible {
    package let description: String
}

extension JSON {
    /// Parses a JSON text in UTF-8; the last of duplicate members wins.
    package init(bytes: [UInt8], grammar: JSONGrammar = .standard) throws(JSONSyntaxError) {
        var reader = JSONReader(bytes, grammar)
        self = try reader.read()
    }

    /// The member names of the object at this path, in document order; empty if the text is not JSON.
    static func names(at path: [String], in bytes: [UInt8], grammar: JSONGrammar) -> [String] {
        var reader = JSONReader(bytes, grammar, watching: path)
        // `try?`: a text that is not JSON has no members.
        return (try? reader.read()) == nil ? [] : reader.names
    }
}
