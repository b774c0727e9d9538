import Foundation
import GRDB

/// Whether something is a JSON document (RFC 8259) that every reader here can read.
///
/// SQLite checks the grammar: some forty times as fast as JSONDecoder on a capture of 17 KB, strict where that takes `[1,]`, and in a time that
/// does not depend on how deep a value stands. What it takes and JSONDecoder does not is looked for here: too many levels, halves of surrogate
/// pairs and numbers past a double.
enum JSONSyntax {
    /// How many levels JSONDecoder reads.
    static let mostLevels = 512

    /// - Parameter text: the document, without a byte order mark.
    static func isValid(_ text: String) -> Bool {
        // SQLite reads to the first NUL, which no JSON document holds.
        guard !text.utf8.contains(0), answer("SELECT json_valid(?)", to: text) else { return false }
        let traits = JSONTraits(text)
        return traits.levels <= mostLevels && !traits.hasHalfOfPair && (!traits.hasExponent || !hasHugeNumber(text))
    }

    private static func hasHugeNumber(_ text: String) -> Bool {
        answer("SELECT EXISTS (SELECT * FROM json_tree(?) WHERE type = 'real' AND abs(atom) = 9e999)", to: text)
    }

    private static let sqlite = Result { try DatabaseQueue() }

    private static func answer(_ sql: String, to text: String) -> Bool {
        // `try?`: what fails is a lack of memory, and then the answer is no as well.
        let answer = try? sqlite.get().inDatabase { db in
            // A statement that is kept holds what was bound to it last.
            let statement = try text.utf8.count > 64 << 10 ? db.makeStatement(sql: sql) : db.cachedStatement(sql: sql)
            return try Bool.fetchOne(statement, arguments: [text])
        }
        return answer == true
    }
}

/// What is seen of a well-formed JSON document by one look at its bytes.
private struct JSONTraits {
    private(set) var levels = 0
    private(set) var hasExponent = false
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
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                // Those of `true` and `false` are not behind a digit.
                if at > bytes.startIndex, (0x30...0x39).contains(bytes[at - 1]) { hasExponent = true }
            default: break
            }
        }
    }

    /// Of an escape such as `\u00e9` at `start` the code unit; nil for anything else.
    private static func escapedUnit(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) -> UInt16? {
        guard start + 6 <= bytes.endIndex, bytes[start] == UInt8(ascii: "\\"), bytes[start + 1] == UInt8(ascii: "u") else { return nil }
        return UInt16(String(decoding: bytes[start + 2..<start + 6], as: UTF8.self), radix: 16)
    }
}
