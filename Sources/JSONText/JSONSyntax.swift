import GRDB

/// Whether something is a JSON document (RFC 8259) that every reader here can read.
///
/// SQLite checks the grammar: some forty times as fast as JSONDecoder on a capture of 17 KB, strict where that takes `[1,]`, and in a time that
/// does not depend on how deep a value stands. What it takes and JSONDecoder does not is looked for here: too many levels, halves of surrogate
/// pairs and numbers past a double.
package enum JSONSyntax {
    /// How many levels of arrays and objects a document may have: a few fewer than the 512 that JSONDecoder reads, because an answer that
    /// repeats the document has it inside some of its own.
    package static let mostLevels = 500

    /// What keeps a text from being such a document; the description says it of the document.
    package enum Flaw: Error, CustomStringConvertible {
        case notJSON
        case tooDeep
        case halfOfPair
        case hugeNumber

        package var description: String {
            switch self {
            case .notJSON: "it is not JSON, or not all of it is there"
            case .tooDeep: "it has more than \(mostLevels) levels of lists and objects"
            case .halfOfPair: "it holds half of a character, a surrogate without the other one"
            case .hugeNumber: "it holds a number that is too large, past 1.8e308"
            }
        }
    }

    /// - Parameter text: the document, without a byte order mark.
    package static func check(_ text: String) throws(Flaw) {
        // SQLite reads to the first NUL, which no JSON document holds.
        guard !text.utf8.contains(0), isWellFormed(text) else { throw .notJSON }
        let traits = JSONTraits(text)
        if traits.levels > mostLevels { throw .tooDeep }
        if traits.hasHalfOfPair { throw .halfOfPair }
        if traits.hasHugeNumber { throw .hugeNumber }
    }

    private static let sqlite = Result { try DatabaseQueue() }

    private static func isWellFormed(_ text: String) -> Bool {
        // `try?`: what fails is a lack of memory, and then the answer is no as well.
        let answer = try? sqlite.get().inDatabase { db in
            // A statement that is kept holds what was bound to it last.
            let sql = "SELECT json_valid(?)"
            let statement = try text.utf8.count > 64 << 10 ? db.makeStatement(sql: sql) : db.cachedStatement(sql: sql)
            return try Bool.fetchOne(statement, arguments: [text])
        }
        return answer == true
    }
}

/// What is seen of a well-formed JSON document by one look at its bytes.
private struct JSONTraits {
    private(set) var levels = 0
    /// Whether a number is past a double, as `1e999` is.
    private(set) var hasHugeNumber = false
    /// Whether a surrogate stands without its other half, as `\ud800` alone does.
    private(set) var hasHalfOfPair = false

    init(_ text: String) {
        var text = text
        text.withUTF8 { look(at: $0) }
    }

    private mutating func look(at bytes: UnsafeBufferPointer<UInt8>) {
        var (level, isInString, at) = (0, false, bytes.startIndex)
        while at < bytes.endIndex {
            defer { at += 1 }
            switch bytes[at] {
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: "\\"):
                if let unit = Self.escapedUnit(bytes, at) {
                    at += 5
                    guard UTF16.isSurrogate(unit) else { break }
                    if UTF16.isLeadSurrogate(unit), let next = Self.escapedUnit(bytes, at + 1), UTF16.isTrailSurrogate(next) {
                        at += 6
                    } else {
                        hasHalfOfPair = true
                    }
                } else {
                    at += 1
                }
            case _ where isInString: break
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                level += 1
                levels = max(levels, level)
            case UInt8(ascii: "]"), UInt8(ascii: "}"): level -= 1
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                let number = bytes[at...].prefix { Self.isOfNumber($0) }
                // Without an exponent it takes more than 300 digits.
                if number.count > 300 || number.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
                    hasHugeNumber = hasHugeNumber || Double(String(decoding: number, as: UTF8.self))?.isFinite != true
                }
                at = number.endIndex - 1
            default: break
            }
        }
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "+"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// Of an escape such as `\u00e9` at `start` the code unit; nil for anything else.
    private static func escapedUnit(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) -> UInt16? {
        guard start + 6 <= bytes.endIndex, bytes[start] == UInt8(ascii: "\\"), bytes[start + 1] == UInt8(ascii: "u") else { return nil }
        return UInt16(String(decoding: bytes[start + 2..<start + 6], as: UTF8.self), radix: 16)
    }
}
