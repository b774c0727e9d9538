import Foundation
import GRDB

/// Whether something is a JSON document (RFC 8259) that every reader here can read.
///
/// SQLite checks the grammar: some forty times as fast as JSONDecoder on a capture of 17 KB, and strict where that takes `[1,]`. Only a document that
/// may hold what SQLite takes and JSONDecoder does not, numbers past a double and halves of surrogate pairs, is read by both.
enum JSONSyntax {
    /// - Parameter text: the document, without a byte order mark.
    static func isValid(_ text: String) -> Bool {
        var isPlain = true
        var last: UInt32 = 0
        for byte in text.utf8 {
            // SQLite reads to the first NUL, which no JSON document holds.
            if byte == 0 { return false }
            last = last << 8 | UInt32(byte | 0x20)  // lower case
            // An exponent, as in `1e999`; an escape that begins as `\ud800` does.
            let hasExponent = byte | 0x20 == UInt8(ascii: "e") && (0x30...0x39).contains(last >> 8 & 0xff)
            if hasExponent || last & 0xff_ffff == 0x7c_7564 { isPlain = false }
        }
        return isWellFormed(text) && (isPlain || WellFormedJSON(Data(text.utf8)) != nil)
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

/// A JSON document that is read to its end and kept nowhere: whether it is well formed, for a fraction of a tree's memory.
struct WellFormedJSON: Decodable {
    init?(_ data: Data) {
        // `try?`: the reason is of no use to a caller that only asks whether this is JSON.
        guard let checked = try? JSONDecoder().decode(WellFormedJSON.self, from: data) else { return nil }
        self = checked
    }

    init(from decoder: any Decoder) throws {
        let scalar = try decoder.singleValueContainer()
        if scalar.decodeNil() { return }
        // `try?`: what is not of this kind is tried as the next one. Numbers come first: a measurement is made of them.
        if (try? scalar.decode(Double.self)) != nil || (try? scalar.decode(String.self)) != nil { return }
        if let members = try? decoder.container(keyedBy: Key.self) {
            for key in members.allKeys { _ = try members.decode(WellFormedJSON.self, forKey: key) }
        } else if var items = try? decoder.unkeyedContainer() {
            while !items.isAtEnd { _ = try items.decode(WellFormedJSON.self) }
        } else {
            _ = try scalar.decode(Bool.self)
        }
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
