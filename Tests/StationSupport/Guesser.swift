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

    private static func hashes(of data: Data) -> [Data] {
        [Data(SHA256.hash(data: data)), Data(Insecure.SHA1.hash(data: data)), Data(Insecure.MD5.hash(data: data))]
    }

    /// Raw, in hex of either case, and in base64 of either alphabet.
    private mutating func note(_ hash: Data, of name: String) {
        let hex = hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let base64 = hash.base64EncodedString()
        let url = base64.replacing("+", with: "-").replacing("/", with: "_")
        for form in [hash] + [hex, hex.uppercased(), base64, url].map({ Data($0.utf8) }) {
            patterns[Self.word(form, 0)] = name
            beginnings[Int(form[0]) << 8 | Int(form[1])] = true
        }
    }

    private static func word(_ bytes: some Collection<UInt8>, _ offset: Int) -> UInt64 {
        bytes.dropFirst(offset).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
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
