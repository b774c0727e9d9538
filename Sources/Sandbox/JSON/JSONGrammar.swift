/// What a server's reader of JSON lets pass.
package struct JSONGrammar: Sendable {
    /// Levels of lists and objects.
    let mostLevels: Int
    /// Comments are skipped, and the backslash of an escape that does not exist.
    let isLenient: Bool

    /// RFC 8259, as deep as any answer of a sandbox.
    package static let standard = JSONGrammar(mostLevels: 1000, isLenient: false)
    /// Ruby's parser: no NaN, no byte order mark, no comma after the last element.
    package static let ruby = JSONGrammar(mostLevels: 100, isLenient: true)
}

/// Why a text is not JSON.
package struct JSONSyntaxError: Error, CustomStringConvertible {
    package let description: String
}

extension JSON {
    /// Reads a JSON text in UTF-8; of two members with one name the last wins.
    package init(bytes: [UInt8], grammar: JSONGrammar = .standard) throws(JSONSyntaxError) {
        var reader = JSONReader(bytes, grammar)
        self = try reader.read()
    }

    /// The names of the members of the object at this path, in the order of the text; empty where the text is no JSON.
    static func names(at path: [String], in bytes: [UInt8], grammar: JSONGrammar) -> [String] {
        var reader = JSONReader(bytes, grammar, watching: path)
        // `try?`: what is no JSON has no members.
        return (try? reader.read()) == nil ? [] : reader.names
    }
}
