import Logging

/// A journal entry in the native protocol (systemd.io/JOURNAL_NATIVE_PROTOCOL).
struct JournalRecord: Sendable, Equatable {
    var fields: [Field] = []

    struct Field: Sendable, Equatable {
        let name: String
        let value: String
    }

    mutating func add(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }

    /// The datagram. Values longer than `longest` bytes are cut and end with `…`.
    func encoded(longest: Int = .max) -> [UInt8] {
        var bytes: [UInt8] = []
        for field in fields {
            let value = field.value.cut(toBytes: longest)
            bytes += field.name.utf8
            if value.utf8.contains(UInt8(ascii: "\n")) {
                // Binary form: 64-bit little-endian length.
                bytes.append(UInt8(ascii: "\n"))
                withUnsafeBytes(of: UInt64(value.utf8.count).littleEndian) { bytes += $0 }
            } else {
                bytes.append(UInt8(ascii: "="))
            }
            bytes += value.utf8
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }

    /// The field name of a key: capitals, digits and underscores, at most 64.
    static func name(for key: String) -> String {
        let tail = key.unicodeScalars.map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil) ? Character(scalar) : "_"
        }
        return String(("HOMING_" + String(tail).uppercased()).prefix(64))
    }
}

extension Logger.Level {
    /// The syslog(3) level.
    var journalPriority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}

extension String {
    fileprivate func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        // Not inside a character.
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return self[..<end] + "…"
    }
}
