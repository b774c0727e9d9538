import Crypto
import Foundation
import SyncModel

/// An attacker with all files and reports of a station except the key, who hashes possible payloads and looks for the hashes.
package struct Guesser {
    /// The first eight bytes of each pattern and the name of the guess.
    private var patterns: [UInt64: String] = [:]
    /// Pairs of bytes that start a pattern.
    private var beginnings = [Bool](repeating: false, count: 1 << 16)

    /// - Parameter salts: public values that a hash may include: ids, backends, routes.
    package init(_ guesses: [Data], salts: [Data]) {
        for guess in guesses {
            let name = String(decoding: guess.prefix(80), as: UTF8.self)
            for text in [guess] + salts.flatMap({ [$0 + guess, guess + $0, $0 + Data("\n".utf8) + guess] }) {
                for hash in Self.hashes(of: text) { note(hash, of: name) }
            }
        }
    }

    /// All payloads of a measurement that are possible if only these values are unknown.
    package static func documents(_ form: (String, String, String) -> String) -> [Data] {
        let genders = ["female", "male", "other"]
        return (1930...2025).flatMap { year in
            genders.flatMap { gender in (1...3).map { Data(form(String(year), gender, String($0)).utf8) } }
        }
    }

    /// Forms of the sealed part of a mutation that may be hashed.
    package static func sealedForms(fields: String, payload: Data?, backend: String, route: String) -> [Data] {
        let count = UInt32(fields.utf8.count).bigEndian
        let plain = withUnsafeBytes(of: count) { Data($0) } + Data(fields.utf8) + (payload.map { Data([1]) + $0 } ?? Data([0]))
        return [plain, Data("\(backend)\n\(route)\n".utf8) + plain]
    }

    /// The first eight bytes of each hash, big-endian.
    private static func hashes(of data: Data) -> [UInt64] {
        func beginning(_ hash: some Digest) -> UInt64 { hash.withUnsafeBytes { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) } }
        return [beginning(SHA256.hash(data: data)), beginning(Insecure.SHA1.hash(data: data)), beginning(Insecure.MD5.hash(data: data))]
    }

    /// In hex of either case, and in base64 of either alphabet: the bits of a character, and the characters.
    private static let alphabets = [
        (4, "0123456789abcdef"), (4, "0123456789ABCDEF"),
        (6, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"),
        (6, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
    ].map { (bits: $0.0, characters: $0.1.utf8.map { UInt64($0) }) }

    private mutating func note(_ hash: UInt64, of name: String) {
        note(pattern: hash, of: name)
        for (bits, characters) in Self.alphabets {
            var pattern: UInt64 = 0
            var rest = hash
            for _ in 0..<8 {
                pattern = pattern << 8 | characters[Int(rest >> (64 - bits))]
                rest <<= bits
            }
            note(pattern: pattern, of: name)
        }
    }

    private mutating func note(pattern: UInt64, of name: String) {
        patterns[pattern] = name
        beginnings[Int(pattern >> 48)] = true
    }

    package func confirmed(by content: Data) -> [String] {
        content.withUnsafeBytes { bytes in
            guard bytes.count >= 8 else { return [] }
            var found: Set<String> = []
            for offset in 0...bytes.count - 8 where beginnings[Int(bytes[offset]) << 8 | Int(bytes[offset + 1])] {
                var word: UInt64 = 0
                for index in offset..<offset + 8 { word = word << 8 | UInt64(bytes[index]) }
                if let name = patterns[word] { found.insert(name) }
            }
            return found.sorted()
        }
    }

    package func leaks(in places: [Canary.Place]) -> [String] {
        places.filter { $0.kind != .commandLine && $0.kind != .environment }.flatMap { place in
            confirmed(by: place.content + Data(" \(place.name)".utf8)).map { "\($0) can be guessed from \(place.name)" }
        }
    }
}
