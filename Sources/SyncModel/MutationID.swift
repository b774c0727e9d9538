import Foundation

/// The identity and idempotency key of an entry: a lower-case UUID. Homing's are version 7 (RFC 9562 5.7), which sort by millisecond;
/// clients may supply any.
package struct MutationID: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let description: String

    /// Any UUID in either case.
    package init?(_ text: some StringProtocol) {
        guard let uuid = UUID(uuidString: String(text)) else { return nil }
        description = uuid.uuidString.lowercased()
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
        let bytes = [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) } }
        let uuid = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        description = uuid.uuidString.lowercased()
    }

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
