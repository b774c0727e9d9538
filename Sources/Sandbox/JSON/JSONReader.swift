/// Why a text is not JSON.
package struct JSONSyntaxError: Error, Equatable {
    package let offset: Int
    package let expected: String
}

/// Reads JSON as strictly as Ruby's parser does: no NaN, no nesting over 100 levels, nothing after the value.
package struct JSONReader {
    private let bytes: [UInt8]
    private var position = 0
    private static let deepestNesting = 100

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The one value that these bytes hold.
    package static func read(_ bytes: [UInt8]) throws(JSONSyntaxError) -> JSON {
        var reader = JSONReader(bytes)
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.position == bytes.count else { throw reader.expected("the end") }
        return value
    }

    private mutating func value(depth: Int) throws(JSONSyntaxError) -> JSON {
        skipSpace()
        switch peek {
        case UInt8(ascii: "{"): return try object(depth: depth + 1)
        case UInt8(ascii: "["): return try array(depth: depth + 1)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func object(depth: Int) throws(JSONSyntaxError) -> JSON {
        guard depth <= Self.deepestNesting else { throw expected("at most 100 levels") }
        var object = JSONObject()
        position += 1
        skipSpace()
        if take("}") { return .object(object) }
        repeat {
            skipSpace()
            let name = try string()
            skipSpace()
            guard take(":") else { throw expected("a colon") }
            object[name] = try value(depth: depth)
            skipSpace()
        } while take(",")
        guard take("}") else { throw expected("a comma or }") }
        return .object(object)
    }

    private mutating func array(depth: Int) throws(JSONSyntaxError) -> JSON {
        guard depth <= Self.deepestNesting else { throw expected("at most 100 levels") }
        var elements: [JSON] = []
        position += 1
        skipSpace()
        if take("]") { return .array(elements) }
        repeat {
            elements.append(try value(depth: depth))
            skipSpace()
        } while take(",")
        guard take("]") else { throw expected("a comma or ]") }
        return .array(elements)
    }

    private mutating func word(_ word: StaticString, _ value: JSON) throws(JSONSyntaxError) -> JSON {
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.count, bytes[position..<end].elementsEqual(word.description.utf8) else { throw expected("a value") }
        position = end
        return value
    }
}

extension JSONReader {
    private mutating func number() throws(JSONSyntaxError) -> JSON {
        let start = position
        _ = take("-")
        let leadingZero = peek == UInt8(ascii: "0")
        let whole = digits()
        guard whole > 0, !(leadingZero && whole > 1) else { throw expected("a value") }
        if take("."), digits() == 0 { throw expected("digits after the point") }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            if digits() == 0 { throw expected("digits of the exponent") }
        }
        return .number(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private mutating func digits() -> Int {
        let start = position
        while let byte = peek, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
        return position - start
    }

    private mutating func string() throws(JSONSyntaxError) -> String {
        guard take("\"") else { throw expected("text in quotes") }
        var text: [UInt8] = []
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let valid = String(validating: text, as: UTF8.self) else { throw expected("text in UTF-8") }
                return valid
            case UInt8(ascii: "\\"): text.append(contentsOf: try escape())
            case 0..<0x20: throw expected("no control character in text")
            default: text.append(byte)
            }
        }
        throw expected("a closing quote")
    }

    private mutating func escape() throws(JSONSyntaxError) -> [UInt8] {
        guard let byte = peek else { throw expected("an escape") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            var units = [try codeUnit()]
            if UTF16.isLeadSurrogate(units[0]), take("\\") {
                guard take("u") else { throw expected("the second half of a surrogate pair") }
                units.append(try codeUnit())
            }
            return Array(String(decoding: units, as: UTF16.self).utf8)
        default: throw expected("an escape")
        }
    }

    private mutating func codeUnit() throws(JSONSyntaxError) -> UInt16 {
        guard position + 4 <= bytes.count,
            let unit = UInt16(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
        else { throw expected("four hexadecimal digits") }
        position += 4
        return unit
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private func expected(_ expected: String) -> JSONSyntaxError { JSONSyntaxError(offset: position, expected: expected) }
}
