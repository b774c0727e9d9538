/// Reads a JSON document strictly as RFC 8259 has it: UTF-8, nothing besides, and every number at the double that is nearest to it.
///
/// The platform's own parser lets trailing commas and other encodings pass, and is off in the last digits of some numbers.
struct JSONReader {
    /// The document is no JSON.
    struct NotJSON: Error {}

    private let bytes: UnsafeRawBufferPointer
    private var place = 0
    private var depth = 0
    /// RFC 8259 9 leaves a limit to the reader: deeper than any document, shallower than the stack.
    private static let deepest = 512

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The whole document's value.
    mutating func document() throws(NotJSON) -> JSONValue {
        let value = try value()
        skipSpace()
        guard place == bytes.count else { throw NotJSON() }
        return value
    }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { place += 1 }
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    private mutating func expect(_ word: StaticString) throws(NotJSON) {
        let end = place + word.utf8CodeUnitCount
        guard end <= bytes.count, bytes[place..<end].elementsEqual(UnsafeBufferPointer(start: word.utf8Start, count: end - place)) else {
            throw NotJSON()
        }
        place = end
    }

    private mutating func value() throws(NotJSON) -> JSONValue {
        skipSpace()
        switch next.map(Unicode.Scalar.init) {
        case "{": return .object(try nested { reader throws(NotJSON) in try reader.members() })
        case "[": return .array(try nested { reader throws(NotJSON) in try reader.elements() })
        case "\"": return .string(try string())
        case "t":
            try expect("true")
            return .bool(true)
        case "f":
            try expect("false")
            return .bool(false)
        case "n":
            try expect("null")
            return .null
        default: return try number()
        }
    }

    private mutating func nested<T>(_ read: (inout JSONReader) throws(NotJSON) -> T) throws(NotJSON) -> T {
        place += 1
        depth += 1
        guard depth <= Self.deepest else { throw NotJSON() }
        defer { depth -= 1 }
        return try read(&self)
    }

    private mutating func members() throws(NotJSON) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        skipSpace()
        if skip("}") { return members }
        while true {
            skipSpace()
            let name = try string()
            skipSpace()
            guard skip(":") else { throw NotJSON() }
            members[name] = try value()
            skipSpace()
            if skip("}") { return members }
            guard skip(",") else { throw NotJSON() }
        }
    }

    private mutating func elements() throws(NotJSON) -> [JSONValue] {
        var elements: [JSONValue] = []
        skipSpace()
        if skip("]") { return elements }
        while true {
            elements.append(try value())
            skipSpace()
            if skip("]") { return elements }
            guard skip(",") else { throw NotJSON() }
        }
    }

    private mutating func digits() throws(NotJSON) {
        let start = place
        while let byte = next, (0x30...0x39).contains(byte) { place += 1 }
        guard place > start else { throw NotJSON() }
    }

    private mutating func number() throws(NotJSON) -> JSONValue {
        let start = place
        var isWhole = true
        _ = skip("-")
        if !skip("0") { try digits() }
        if skip(".") {
            isWhole = false
            try digits()
        }
        if skip("e") || skip("E") {
            isWhole = false
            if !skip("+") { _ = skip("-") }
            try digits()
        }
        let text = String(decoding: bytes[start..<place], as: UTF8.self)
        if isWhole, let whole = Int64(text) { return .int(whole) }
        guard let number = Double(text), number.isFinite else { throw NotJSON() }
        return .double(number)
    }

    private mutating func string() throws(NotJSON) -> String {
        guard skip("\"") else { throw NotJSON() }
        var text = ""
        while true {
            let start = place
            while let byte = next, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { place += 1 }
            if place > start {
                guard let part = String(validating: bytes[start..<place], as: UTF8.self) else { throw NotJSON() }
                text += part
            }
            if skip("\"") { return text }
            guard skip("\\") else { throw NotJSON() }
            text.unicodeScalars.append(try escaped())
        }
    }

    private mutating func escaped() throws(NotJSON) -> Unicode.Scalar {
        guard let byte = next else { throw NotJSON() }
        place += 1
        switch Unicode.Scalar(byte) {
        case "\"": return "\""
        case "\\": return "\\"
        case "/": return "/"
        case "b": return "\u{8}"
        case "f": return "\u{c}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "u":
            let first = try hexadecimal()
            if let scalar = Unicode.Scalar(first) { return scalar }
            // Half a pair stands for nothing without the other half.
            guard (0xd800...0xdbff).contains(first), skip("\\"), skip("u") else { throw NotJSON() }
            let second = try hexadecimal()
            guard (0xdc00...0xdfff).contains(second),
                let scalar = Unicode.Scalar(0x10000 + (first - 0xd800) << 10 + (second - 0xdc00))
            else { throw NotJSON() }
            return scalar
        default: throw NotJSON()
        }
    }

    private mutating func hexadecimal() throws(NotJSON) -> UInt32 {
        guard place + 4 <= bytes.count else { throw NotJSON() }
        defer { place += 4 }
        var value: UInt32 = 0
        for byte in bytes[place..<place + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw NotJSON() }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
