import Glibc
import SyncModel

/// The ends of large objects and arrays in the outer levels, by their beginnings, so that these are skipped at once. `checkValue` finds
/// them.
typealias JSONSpans = [Int: Int]

/// Scans JSON (RFC 8259) without tree or recursion; each level costs one bit.
struct JSONScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    /// The index of the first byte in the document.
    private let start: Int
    private(set) var spans: JSONSpans
    private(set) var at = 0
    /// An object has a member twice that `descend` looked for.
    var hasMetRepetition = false

    // Keeps the spans below a fifth of the document's memory.
    private static var spanLevels: Int { 4 }
    private static var shortestSpan: Int { 1 << 10 }

    init(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int, _ spans: JSONSpans) {
        (self.bytes, self.start, self.spans) = (bytes, start, spans)
    }

    func moved(to place: Int) -> JSONScanner {
        var scanner = self
        scanner.at = place
        return scanner
    }

    /// 0 at the end, which JSON text never contains.
    var next: UInt8 { at < bytes.count ? bytes[at] : 0 }
    var isAtEnd: Bool { at >= bytes.count }

    mutating func skipSpace() {
        while at < bytes.count, bytes[at].isJSONSpace { at += 1 }
    }

    /// Skips white space, then `byte`; false if another byte follows.
    mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard next == byte else { return false }
        at += 1
        return true
    }

    // MARK: Text that is known to be JSON

    /// Skips one value of valid JSON.
    mutating func skipValue() {
        skipSpace()
        switch next {
        case .quote: skipString()
        case .openBrace, .openBracket:
            if let end = spans[start + at] {
                at = end - start
                return
            }
            var level = 0
            repeat {
                switch bytes[at] {
                case .quote:
                    skipString()
                    continue
                case .openBrace, .openBracket: level += 1
                case .closeBrace, .closeBracket: level -= 1
                default: break
                }
                at += 1
            } while level > 0 && at < bytes.count
        default: while at < bytes.count, !bytes[at].endsJSONScalar { at += 1 }
        }
    }

    private mutating func skipString() {
        at += 1
        var end = first(.quote, from: at, to: bytes.count)
        while case let escape = first(.backslash, from: at, to: end), escape < end {
            at = escape + 2
            if at > end { end = first(.quote, from: at, to: bytes.count) }
        }
        at = end + 1
    }

    /// The place of the first `byte`, or `end`. With memchr(3): large documents are mostly text.
    private func first(_ byte: UInt8, from start: Int, to end: Int) -> Int {
        guard start < end, let base = bytes.baseAddress, let found = memchr(base + start, Int32(byte), end - start) else { return end }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }

    mutating func readString() -> String {
        let start = at + 1
        skipString()
        let end = max(start, min(at - 1, bytes.count))
        let content = bytes[start..<end]
        if first(.backslash, from: start, to: end) == end { return String(decoding: content, as: UTF8.self) }
        return Self.unescaped(content)
    }

    /// Null for an object or an array, which it skips.
    mutating func readScalar() -> JSONValue {
        skipSpace()
        let (start, first) = (at, next)
        if first == .quote { return .string(readString()) }
        skipValue()
        switch first {
        case .openBrace, .openBracket, UInt8(ascii: "n"): return .null
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool(first == UInt8(ascii: "t"))
        default: return JSONValue(number: String(decoding: bytes[start..<at], as: UTF8.self))
        }
    }

    private static func unescaped(_ content: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        var units: [UInt16] = []
        var text = ""
        var plain = content.startIndex
        var index = content.startIndex
        func flushUnits() {
            text += String(decoding: units, as: UTF16.self)
            units = []
        }
        while index < content.endIndex {
            guard content[index] == .backslash else {
                index += 1
                continue
            }
            if plain < index {
                flushUnits()
                text += String(decoding: content[plain..<index], as: UTF8.self)
            }
            let code = content.index(after: index) < content.endIndex ? content[index + 1] : 0
            if code == UInt8(ascii: "u"), let unit = escapedUnit(content, index) {
                units.append(unit)
                index += 6
            } else {
                units.append(UInt16(plainEscapes[code] ?? code))
                index += 2
            }
            plain = index
        }
        flushUnits()
        if plain < content.endIndex { text += String(decoding: content[plain..<content.endIndex], as: UTF8.self) }
        return text
    }

    private static let plainEscapes: [UInt8: UInt8] = [
        UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0c, UInt8(ascii: "n"): 0x0a, UInt8(ascii: "r"): 0x0d, UInt8(ascii: "t"): 0x09,
    ]

    /// The code unit of an escape such as `\u00e9`; nil if invalid.
    private static func escapedUnit(_ content: Slice<UnsafeBufferPointer<UInt8>>, _ start: Int) -> UInt16? {
        guard start + 6 <= content.endIndex else { return nil }
        var unit: UInt16 = 0
        for byte in content[start + 2..<start + 6] {
            guard let digit = byte.hexDigit else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    // MARK: Text that is not known yet

    /// Validates one value with surrounding white space; returns its nesting.
    mutating func checkValue(_ limits: JSONSyntax.Limits) throws(JSONFlaw) -> Int {
        // One bit per open level: true for an object.
        var levels = BitStack()
        var beginnings: [Int] = []
        var deepest = 0
        while true {
            skipSpace()
            let place = at
            switch next {
            case .openBrace:
                at += 1
                guard levels.count < limits.levels else { throw .tooDeep }
                deepest = max(deepest, levels.count + 1)
                if take(.closeBrace) { break }
                if levels.count < Self.spanLevels { beginnings.append(place) }
                levels.push(true)
                try checkName(limits)
                continue
            case .openBracket:
                at += 1
                guard levels.count < limits.levels else { throw .tooDeep }
                deepest = max(deepest, levels.count + 1)
                if take(.closeBracket) { break }
                if levels.count < Self.spanLevels { beginnings.append(place) }
                levels.push(false)
                continue
            case .quote: try checkString(limits)
            case UInt8(ascii: "t"): try checkWord("true")
            case UInt8(ascii: "f"): try checkWord("false")
            case UInt8(ascii: "n"): try checkWord("null")
            default: try checkNumber(limits)
            }
            while true {
                skipSpace()
                guard let isObject = levels.top else { return deepest }
                if next == .comma {
                    at += 1
                    if isObject { try checkName(limits) }
                    break
                }
                guard next == (isObject ? .closeBrace : .closeBracket) else { throw .notJSON }
                at += 1
                levels.pop()
                if levels.count < Self.spanLevels, let place = beginnings.popLast(), at - place >= Self.shortestSpan {
                    spans[start + place] = start + at
                }
            }
        }
    }

    private mutating func checkName(_ limits: JSONSyntax.Limits) throws(JSONFlaw) {
        skipSpace()
        guard next == .quote else { throw .notJSON }
        try checkString(limits)
        guard take(UInt8(ascii: ":")) else { throw .notJSON }
    }

    private mutating func checkWord(_ word: StaticString) throws(JSONFlaw) {
        for offset in 0..<word.utf8CodeUnitCount {
            guard next == word.utf8Start[offset] else { throw .notJSON }
            at += 1
        }
        guard isAtEnd || next.endsJSONScalar else { throw .notJSON }
    }

    private mutating func checkString(_ limits: JSONSyntax.Limits) throws(JSONFlaw) {
        at += 1
        while at < bytes.count {
            let byte = bytes[at]
            if byte == .quote {
                at += 1
                return
            } else if byte == .backslash {
                try checkEscape(limits)
            } else if byte < 0x20 {
                throw .notJSON
            } else if byte < 0x80 {
                at += 1
            } else {
                try checkUTF8()
            }
        }
        throw .notJSON
    }

    private mutating func checkEscape(_ limits: JSONSyntax.Limits) throws(JSONFlaw) {
        guard at + 1 < bytes.count else { throw .notJSON }
        guard bytes[at + 1] == UInt8(ascii: "u") else {
            guard #""\/bfnrt"#.utf8.contains(bytes[at + 1]) else { throw .notJSON }
            at += 2
            return
        }
        guard let unit = Self.escapedUnit(bytes[...], at) else { throw .notJSON }
        at += 6
        guard limits.isPortable, UTF16.isSurrogate(unit) else { return }
        guard UTF16.isLeadSurrogate(unit), next == .backslash, at + 1 < bytes.count, bytes[at + 1] == UInt8(ascii: "u"),
            let other = Self.escapedUnit(bytes[...], at), UTF16.isTrailSurrogate(other)
        else { throw .halfOfPair }
        at += 6
    }

    /// RFC 3629: no overlong form, no surrogate, nothing past U+10FFFF.
    private mutating func checkUTF8() throws(JSONFlaw) {
        let first = bytes[at]
        let (length, second): (Int, ClosedRange<UInt8>) =
            switch first {
            case 0xc2...0xdf: (2, 0x80...0xbf)
            case 0xe0: (3, 0xa0...0xbf)
            case 0xed: (3, 0x80...0x9f)
            case 0xe1...0xef: (3, 0x80...0xbf)
            case 0xf0: (4, 0x90...0xbf)
            case 0xf1...0xf3: (4, 0x80...0xbf)
            case 0xf4: (4, 0x80...0x8f)
            default: throw .notJSON
            }
        guard at + length <= bytes.count, second.contains(bytes[at + 1]) else { throw .notJSON }
        for index in at + 2..<max(at + 2, at + length) where !(0x80...0xbf).contains(bytes[index]) { throw .notJSON }
        at += length
    }

    private mutating func checkNumber(_ limits: JSONSyntax.Limits) throws(JSONFlaw) {
        let start = at
        if next == UInt8(ascii: "-") { at += 1 }
        if next == UInt8(ascii: "0") { at += 1 } else { try checkDigits() }
        if next == UInt8(ascii: ".") {
            at += 1
            try checkDigits()
        }
        var hasExponent = false
        if next | 0x20 == UInt8(ascii: "e") {
            hasExponent = true
            at += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { at += 1 }
            try checkDigits()
        }
        guard isAtEnd || next.endsJSONScalar else { throw .notJSON }
        // Without an exponent, only more than 300 digits exceed a double.
        if limits.isPortable, hasExponent || at - start > 300, Double(String(decoding: bytes[start..<at], as: UTF8.self))?.isFinite != true
        {
            throw .hugeNumber
        }
    }

    private mutating func checkDigits() throws(JSONFlaw) {
        let start = at
        while next.isDigit { at += 1 }
        if at == start { throw .notJSON }
    }
}

private struct BitStack {
    private var words: [UInt64] = []
    private(set) var count = 0

    var top: Bool? { count == 0 ? nil : words[(count - 1) >> 6] >> UInt64((count - 1) & 63) & 1 == 1 }

    mutating func push(_ bit: Bool) {
        if count & 63 == 0, count >> 6 == words.count { words.append(0) }
        let mask = UInt64(1) << UInt64(count & 63)
        if bit { words[count >> 6] |= mask } else { words[count >> 6] &= ~mask }
        count += 1
    }

    mutating func pop() { count -= 1 }
}

extension UInt8 {
    // Computed: without optimisation, a static constant or a range takes most of the time of a scan.
    static var quote: UInt8 { 0x22 }
    static var backslash: UInt8 { 0x5c }
    static var comma: UInt8 { 0x2c }
    static var openBrace: UInt8 { 0x7b }
    static var closeBrace: UInt8 { 0x7d }
    static var openBracket: UInt8 { 0x5b }
    static var closeBracket: UInt8 { 0x5d }

    /// White space in JSON (RFC 8259 2).
    package var isJSONSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0a || self == 0x0d }

    fileprivate var endsJSONScalar: Bool {
        isJSONSpace || self == .comma || self == .closeBrace || self == .closeBracket
    }

    fileprivate var isDigit: Bool { self >= 0x30 && self <= 0x39 }

    fileprivate var hexDigit: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x41 + 10
        case 0x61...0x66: self - 0x61 + 10
        default: nil
        }
    }
}
