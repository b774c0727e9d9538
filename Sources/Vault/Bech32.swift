import Foundation

/// Text with a checksum, as in age recipients (BIP 173).
enum Bech32 {
    /// The bytes after the prefix; nil if the checksum, the prefix or the form is wrong.
    static func decoded(_ text: String, prefix: String) -> Data? {
        guard text == text.lowercased() || text == text.uppercased() else { return nil }
        let text = text.lowercased()
        guard text.hasPrefix(prefix + "1") else { return nil }
        let values = text.utf8.dropFirst(prefix.utf8.count + 1).map { characters.firstIndex(of: $0) ?? -1 }
        guard values.count >= checksumSize, !values.contains(-1), polynomial(expanded(prefix) + values) == 1 else { return nil }
        return bytes(of: values.dropLast(checksumSize))
    }

    private static let characters = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
    private static let checksumSize = 6

    private static func expanded(_ prefix: String) -> [Int] { prefix.utf8.map { Int($0 >> 5) } + [0] + prefix.utf8.map { Int($0 & 31) } }

    private static func polynomial(_ values: [Int]) -> Int {
        let generators = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3]
        var sum = 1
        for value in values {
            let top = sum >> 25
            sum = (sum & 0x1ff_ffff) << 5 ^ value
            for (bit, generator) in generators.enumerated() where top >> bit & 1 == 1 { sum ^= generator }
        }
        return sum
    }

    /// From groups of five bits; nil if the bits that fill up the last group are not zero, or are a whole group.
    private static func bytes(of groups: some Sequence<Int>) -> Data? {
        var (bytes, rest, bits) = (Data(), 0, 0)
        for group in groups {
            rest = rest << 5 | group
            bits += 5
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(rest >> bits & 0xff))
            rest &= 1 << bits - 1
        }
        return bits < 5 && rest == 0 ? bytes : nil
    }
}
