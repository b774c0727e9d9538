import Foundation

package enum JSONFlaw: Error, CustomStringConvertible {
    case notJSON
    case tooDeep
    case halfOfPair
    case hugeNumber

    package var description: String {
        switch self {
        case .notJSON: "it is not valid JSON, or it is incomplete"
        case .tooDeep: "it has more than \(JSONSyntax.mostLevels) levels of arrays and objects"
        case .halfOfPair: "it contains half a character (an unpaired surrogate)"
        case .hugeNumber: "it contains a number that is too large (above 1.8e308)"
        }
    }
}

/// Validates UTF-8 JSON (RFC 8259) in one pass, without a tree.
package enum JSONSyntax {
    /// The maximum nesting of a submitted document.
    package static let mostLevels = 500

    package struct Limits: Sendable {
        /// The maximum nesting.
        package var levels: Int
        /// Rejects lone surrogates and numbers outside a double.
        var isPortable: Bool

        /// Readable by every server.
        package static func submitted(levels: Int = mostLevels) -> Limits { Limits(levels: levels, isPortable: true) }
        /// Everything that the grammar allows.
        package static let answer = Limits(levels: .max, isPortable: false)
    }

    /// Checks the syntax and returns the nesting. Throws the first flaw. A byte order mark is not JSON.
    @discardableResult
    package static func check(_ bytes: Data, _ limits: Limits = .submitted()) throws(JSONFlaw) -> Int {
        try document(bytes, limits).levels
    }

    /// The document and its nesting; throws like `check`. Values are found without a pass over the large ones before them.
    package static func document(
        _ bytes: Data, _ limits: Limits = .submitted()
    ) throws(JSONFlaw) -> (document: JSONDocument, levels: Int) {
        let result: Result<(JSONSpans, Int), JSONFlaw> = bytes.withUnsafeBytes { raw in
            var scanner = JSONScanner(raw.bindMemory(to: UInt8.self), at: bytes.startIndex, [:])
            do throws(JSONFlaw) {
                let levels = try scanner.checkValue(limits)
                return scanner.isAtEnd ? .success((scanner.spans, levels)) : .failure(.notJSON)
            } catch {
                return .failure(error)
            }
        }
        let (spans, levels) = try result.get()
        return (JSONDocument(bytes, spans), levels)
    }
}
