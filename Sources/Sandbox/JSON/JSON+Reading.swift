import Foundation
import JSON
import SyncModel

extension JSON {
    /// Parses UTF-8; the last of duplicate members wins.
    package init(bytes: [UInt8]) throws(JSONFlaw) {
        // Enough levels for every response of a sandbox.
        self.init(try JSONDocument(bytes, levels: 1000).root)
    }

    /// Parses as Ruby does.
    package init(ruby bytes: [UInt8]) throws(JSONFlaw) { self.init(try JSONDocument.ruby(bytes).root) }

    /// The member names in document order; empty if the text is not JSON.
    static func names(at path: [String], ruby bytes: [UInt8]) -> [String] {
        // `try?`: a text that is not JSON has no members.
        let object = (try? JSONDocument.ruby(bytes))?.root.element(at: JSONPointer(tokens: path))
        return object?.members.map { $0.name } ?? []
    }

    private init(_ element: JSONElement) {
        switch element.kind {
        case .null: self = .null
        case .bool: self = .bool(element.scalar == .bool(true))
        case .number: self.init(number: String(decoding: element.bytes, as: UTF8.self))
        case .string: self = .string(element.scalar?.string ?? "")
        case .array: self = .array(element.elements.map { JSON($0) })
        case .object: self = .object(element.members.reduce(into: [:]) { $0[$1.name] = JSON($1.value) })
        }
    }

    private init(number text: String) {
        if text.utf8.contains(where: { ".eE".utf8.contains($0) }) {
            // `Double` reads an overflow as infinity, as Ruby does.
            self = .double(Double(text) ?? 0)
        } else {
            self = Int(text).map(JSON.int) ?? .large(text)
        }
    }
}

extension JSONDocument {
    /// Throws for a byte order mark and above the maximum nesting.
    fileprivate init(_ bytes: [UInt8], levels: Int) throws(JSONFlaw) {
        var limits = JSONSyntax.Limits.answer
        limits.levels = levels
        let bytes = Data(bytes)
        try JSONSyntax.check(bytes, limits)
        self.init(checked: bytes)
    }

    /// Ruby's parser: 100 levels, comments, and unknown escapes.
    fileprivate static func ruby(_ bytes: [UInt8]) throws(JSONFlaw) -> JSONDocument {
        // `try?`: JSON that is invalid elsewhere may be valid in Ruby.
        if let document = try? JSONDocument(bytes, levels: 100) { return document }
        return try JSONDocument(plainJSON(bytes), levels: 100)
    }

    /// Replaces comments by a space, and removes the backslash of each unknown escape.
    private static func plainJSON(_ bytes: [UInt8]) -> [UInt8] {
        var (plain, rest, isInText) = ([UInt8](), bytes[...], false)
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "/") where !isInText:
                guard let end = endOfComment(rest) else { return [] }
                rest = rest[end...]
                plain.append(0x20)
            case UInt8(ascii: "\\") where isInText:
                let escaped = rest.popFirst() ?? byte
                plain += #""\/bfnrtu"#.utf8.contains(escaped) ? [byte, escaped] : [escaped]
            default:
                if byte == UInt8(ascii: "\"") { isInText.toggle() }
                plain.append(byte)
            }
        }
        return plain
    }

    /// Nil if no comment starts before `rest`.
    private static func endOfComment(_ rest: ArraySlice<UInt8>) -> Int? {
        if rest.first == UInt8(ascii: "/") { return rest.firstIndex(of: 0x0A) ?? rest.endIndex }
        guard rest.first == UInt8(ascii: "*") else { return nil }
        return rest.indices.dropFirst().first { rest[$0...].starts(with: "*/".utf8) }.map { $0 + 2 }
    }
}
