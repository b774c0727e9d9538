import Foundation

/// Why a text is not a JSON document that can be accepted; the description says it of the document.
package enum JSONFlaw: Error, CustomStringConvertible {
    case notJSON
    case tooDeep
    case halfOfPair
    case hugeNumber

    package var description: String {
        switch self {
        case .notJSON: "it is not JSON, or not all of it is there"
        case .tooDeep: "it has more than \(JSONSyntax.mostLevels) levels of lists and objects"
        case .halfOfPair: "it holds half of a character, a surrogate without the other one"
        case .hugeNumber: "it holds a number that is too large, past 1.8e308"
        }
    }
}

/// Checks that bytes are one JSON document (RFC 8259) in UTF-8, in one pass and without building anything.
package enum JSONSyntax {
    /// How many levels of lists and objects a submitted document may have.
    package static let mostLevels = 500

    /// What a document that is handed in may hold.
    package struct Limits: Sendable {
        var levels: Int
        /// Half characters, and numbers past a double, are flaws.
        var isPortable: Bool

        /// What every server can read, with at most so many levels.
        package static func submitted(levels: Int = mostLevels) -> Limits { Limits(levels: levels, isPortable: true) }
        /// All that the grammar allows.
        package static let answer = Limits(levels: .max, isPortable: false)
    }

    /// Throws the first flaw. A byte order mark is not JSON.
    package static func check(_ bytes: Data, _ limits: Limits = .submitted()) throws(JSONFlaw) {
        let flaw: JSONFlaw? = bytes.withUnsafeBytes { raw in
            var scanner = JSONScanner(raw.bindMemory(to: UInt8.self))
            do throws(JSONFlaw) {
                try scanner.checkValue(limits)
                return scanner.isAtEnd ? nil : .notJSON
            } catch {
                return error
            }
        }
        if let flaw { throw flaw }
    }
}
