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
