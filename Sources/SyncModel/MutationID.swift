import Foundation

/// The identity and idempotency key of an entry: a lower-case UUID. Homing's are version 7 (RFC 9562 5.7), which sort by millisecond;
/// clients may supply any.
package struct MutationID: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let description: String

    /// Any UUID in either case.
    package init?(_ text: some StringProtocol) {
        guard let lower = Self.lowered(text.utf8) else { return nil }
        description = lower
    }

    /// 48 bits of Unix milliseconds, then 74 random bits.
    package init(at now: Date, using generator: inout some RandomNumberGenerator) {
        let counter = UInt64.random(in: 0...0xfff, using: &generator)
        self.init(milliseconds: Self.milliseconds(of: now), counter: counter, using: &generator)
    }

    /// - Parameter counter: 12 bits.
    init(milliseconds: UInt64, counter: UInt64, using generator: inout some RandomNumberGenerator) {
        let high = milliseconds << 16 | 0x7000 | counter
        let low = UInt64.random(in: .min ... .max, using: &generator) & (1 << 62 - 1) | 1 << 63
        description = String(unsafeUninitializedCapacity: Self.length) { text in
            var digits = 0
            for index in 0..<Self.length {
                if Self.isHyphen(at: index) {
                    text[index] = UInt8(ascii: "-")
                } else {
                    let word = digits < 16 ? high : low
                    let digit = UInt8(truncatingIfNeeded: word >> (60 - 4 * UInt64(digits % 16))) & 0xf
                    text[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
                    digits += 1
                }
            }
            return Self.length
        }
    }

    /// Nil unless `text` is a UUID, as RFC 9562 writes them. By hand, because each row that is read has one.
    private static func lowered(_ text: some Collection<UInt8>) -> String? {
        guard text.count == length else { return nil }
        var isSound = true
        let lower = String(unsafeUninitializedCapacity: length) { lower in
            for (index, byte) in text.enumerated() {
                switch byte {
                case UInt8(ascii: "-"): isSound = isSound && isHyphen(at: index)
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
                    isSound = isSound && !isHyphen(at: index)
                default: isSound = false
                }
                lower[index] = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "F") ? byte | 0x20 : byte & 0x7f
            }
            return length
        }
        return isSound ? lower : nil
    }

    private static let length = 36
    private static func isHyphen(at index: Int) -> Bool { index == 8 || index == 13 || index == 18 || index == 23 }

    /// Since 1970.
    static func milliseconds(of date: Date) -> UInt64 { UInt64(clamping: date.timeIntervalSince1970 * 1000) }

    package static func < (a: Self, b: Self) -> Bool { a.description < b.description }
}

extension MutationID: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = MutationID(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected a UUID")
        }
        self = id
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
