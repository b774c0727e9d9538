import Foundation
import StationSupport
import SyncModel

/// A mutated file of `config/` that depends only on a seed and a number.
struct Mutant {
    enum Kind: String, CaseIterable {
        case flipped = "bytes flipped"
        case removed = "lines removed"
        case repeated = "lines repeated"
        case reordered = "lines reordered"
        case retyped = "a value of another type"
        case indented = "another indentation"
        case tabs = "tabs"
        case carriageReturns = "carriage returns"
        case nul = "a NUL"
        case invalid = "invalid UTF-8"
        case deepLists = "deep lists"
        case deepTables = "deep tables"
        case bomb = "aliases of aliases"
        case keyBomb = "aliases of aliases as keys"
        case huge = "a huge number"
        case long = "a line of a megabyte"
        case cut = "cut off"
        case twoDocuments = "two documents"
        case spliced = "a line of another file"
        case address = "another address"
        case twice = "a key twice"
        case unknown = "an unknown key"
    }

    /// Relative to `config/`.
    let file: String
    let kind: Kind
    private(set) var bytes: [UInt8] = []
    private(set) var mustBeRefused = false

    private static let shipped: [(name: String, text: String)] = {
        let folder = TestStation.project + "/config"
        let names = ["aiphoto", "breathesafe", "firebase", "labloop", "lists-2026", "lists", "story16"].map { "backends/\($0).yaml" }
        return (["homing.yaml"] + names).map { name in
            guard let text = try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8) else {
                preconditionFailure("\(folder)/\(name) does not exist")  // `try?`: reported here
            }
            return (name, text)
        }
    }()

    init(_ number: UInt64, seed: UInt64) {
        var dice = SplitMix64(seed: seed &+ number &* 0x9e37_79b9_7f4a_7c15)
        let chosen = Self.shipped[Int.random(in: 0..<Self.shipped.count, using: &dice)]
        file = chosen.name
        kind = Kind.allCases[Int.random(in: 0..<Kind.allCases.count, using: &dice)]
        bytes = make(chosen.text, &dice)
    }

    /// Writes it to `folder` with the other files that it needs.
    func place(in folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder + "/backends", withIntermediateDirectories: false)
        // The profile of the drop folder in the shipped configuration, and the profile that another one extends.
        for name in ["homing.yaml", "backends/breathesafe.yaml"] + (file == "backends/labloop.yaml" ? ["backends/firebase.yaml"] : []) {
            guard name != file, file != "homing.yaml" || name == "backends/breathesafe.yaml",
                let text = Self.shipped.first(where: { $0.name == name })?.text
            else { continue }
            // A profile alone in its folder loads faster.
            if name == "backends/breathesafe.yaml", file != "homing.yaml" { continue }
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(file)"))
    }

    private mutating func make(_ text: String, _ dice: inout SplitMix64) -> [UInt8] {
        func below(_ end: Int) -> Int { Int.random(in: 0..<max(1, end), using: &dice) }
        var bytes = Array(text.utf8)
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let keyed = lines.indices.filter { lines[$0].contains(":") && !lines[$0].drop { $0 == " " }.hasPrefix("#") }
        let line = keyed[below(keyed.count)]
        let key = lines[line].prefix { $0 != ":" }
        func joined() -> [UInt8] { Array(lines.joined(separator: "\n").utf8) }

        switch kind {
        case .flipped:
            for _ in 0...below(4) { bytes[below(bytes.count)] = UInt8.random(in: .min ... .max, using: &dice) }
            return bytes
        case .removed:
            for _ in 0...below(3) { lines.remove(at: below(lines.count)) }
        case .repeated: lines.insert(lines[below(lines.count)], at: below(lines.count))
        case .reordered: lines.swapAt(below(lines.count), below(lines.count))
        case .retyped: lines[line] = "\(key): \(Self.values[below(Self.values.count)])"
        case .indented: lines[line] = String(repeating: " ", count: below(9)) + lines[line].drop { $0 == " " }
        case .tabs: lines[line] = "\t" + lines[line]
        case .carriageReturns: return Array(lines.joined(separator: below(2) == 0 ? "\r\n" : "\r").utf8)
        case .nul:
            bytes.insert(0, at: below(bytes.count))
            return bytes
        case .invalid:
            mustBeRefused = true
            bytes.insert(contentsOf: Self.invalid[below(Self.invalid.count)], at: bytes.lastIndex(of: 10) ?? 0)
            return bytes
        case .deepLists, .deepTables:
            let (open, close) = kind == .deepLists ? ("[", "]") : ("{a: ", "}")
            let depth = [500, 5000, 100_000][below(3)]
            mustBeRefused = true
            lines[line] = "\(key): \(String(repeating: open, count: depth))\(String(repeating: close, count: below(2) * depth))"
        case .bomb, .keyBomb:
            mustBeRefused = true
            return Array(Self.bomb(asKeys: kind == .keyBomb, levels: 9 + below(60)).utf8) + bytes
        case .huge: lines[line] = "\(key): \(Self.numbers[below(Self.numbers.count)])"
        case .long: lines[line] += String(repeating: ["a", " ", "[", "\"", "é"][below(5)], count: 1 << 20)
        case .cut: return Array(bytes.prefix(below(bytes.count)))
        case .twoDocuments:
            mustBeRefused = true
            return bytes + Array("\n---\n".utf8) + bytes
        case .spliced:
            let other = Self.shipped[below(Self.shipped.count)].text.split(separator: "\n")
            lines.insert(String(other[below(other.count)]), at: below(lines.count))
        case .address:
            guard let base = lines.firstIndex(where: { $0.hasPrefix("base_url:") }) else { break }
            mustBeRefused = true
            lines[base] = "base_url: \(Self.addresses[below(Self.addresses.count)])"
        case .twice:
            guard let again = Self.repeatedKey(of: lines, &dice) else { break }
            mustBeRefused = true
            lines.append(again)
        case .unknown:
            mustBeRefused = true
            lines.append(Self.unknownKeys[below(Self.unknownKeys.count)])
        }
        return joined()
    }

    /// A line that gives a key of the top level again, with another value and sometimes written differently; nil if there is none.
    private static func repeatedKey(of lines: [String], _ dice: inout SplitMix64) -> String? {
        let top = lines.filter { $0.first?.isLetter == true && $0.contains(": ") }
        if top.isEmpty { return nil }
        let key = top[Int.random(in: 0..<top.count, using: &dice)].prefix { $0 != ":" }
        let other = [
            "\(key)", "\"\(key)\"", "'\(key)'", "!other \(key)", "!!str \(key)", "? \(key)\n",
            "\"\\x\(String(key.utf8.first ?? 0, radix: 16))\(key.dropFirst())\"",
        ]
        return "\(other[Int.random(in: 0..<other.count, using: &dice)]): \(key == "base_url" ? "https://elsewhere.example" : "1")"
    }

    private static let unknownKeys = [
        "no_such_key: 1", "Base_url: https://a.example", "base_url\u{200b}: https://a.example", "<<: {base_url: https://a.example}",
        "? [a]\n: 1",
    ]

    private static let values = [
        "1", "-1", "true", "null", "~", "", "[]", "{}", "[1, 2]", "{a: b}", "'text'", "\"\"", "1.5", "0x10", "1_000", "2026-01-01",
        "!!binary aGVsbG8=",
        "!!float 1", "|\n  block", ">\n  folded", "*nothing", "&anchor value", "\"\\e[2J\"", "\"a\\nb\"", "'{item.user_id}'", "'{'",
        "'{password}'", "/",
        "POST https://elsewhere.example/a", "POST //elsewhere.example/a", "\"\\u202eabc\"", "on", "no", "@at", "`tick`", "%directive",
    ]
    private static let numbers = [
        "99999999999999999999999999", "-99999999999999999999999999", "1e999", "-1e999", "1e-999", ".inf", "-.inf", ".nan",
        "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "1.7976931348623157e308", "0x7fffffffffffffffff", "0o777777777777777777777777",
        String(repeating: "9", count: 100_000), "1." + String(repeating: "0", count: 100_000), "5e-324", "NaN", "inf", "+1", "00",
    ]
    private static let invalid: [[UInt8]] = [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0x80], [0xe2, 0x82]]
    /// Each would send secrets unencrypted, or to a host that a person reading the file does not see.
    private static let addresses = [
        "http://www.breathesafe.xyz", "https://www.breathesafe.xyz@elsewhere.example", "https://user:pass@www.breathesafe.xyz",
        "https://@a.example",
        "http://127.0.0.1.elsewhere.example", "http://localhost.elsewhere.example", "http://127.1", "http://2130706433",
        "http://0x7f.0.0.1",
        "http://[::ffff:10.0.0.1]", "http://0.0.0.0", "http://10.0.0.1", "ftp://a.example", "file:///etc/passwd", "https://", "https:///a",
        "//a.example",
        "https://a.example\\@b.example", "https://a.example#@b.example", "https://a.example?b", "\"https://a.example\\n.b.example\"",
        "\"https://a\\tb.example\"",
        "\"https://a.example\\0.b.example\"", "https://www.breathesafe.xуz", "https://ｗｗｗ.a.example", "https://a。example",
        "\"https://a\\u200b.example\"",
        "\"https://a\\u202e.example\"", "https://a%2eexample", "https://a.example%00.b.example", "https://a.example:99999",
        "https://a.example:port",
        "https://a.example:-1", "https://[::1", "https://{item.host}", "javascript:alert(1)", "https:a.example", "HTTPS:/a.example",
        "\" https://a.example\"",
        "https://a b.example", "http://127.0.0.1@elsewhere.example", "http://[::1]@elsewhere.example",
        "http://127.0.0.1\\.elsewhere.example", "http://127.0.0.256",
    ]

    /// Each level holds nine of the previous one, so expanding it exhausts any memory.
    private static func bomb(asKeys: Bool, levels: Int) -> String {
        var text = "a0: &a0 [\(Array(repeating: "lol", count: 9).joined(separator: ", "))]\n"
        for level in 1..<levels {
            let item = "*a\(level - 1)"
            text +=
                asKeys
                ? "a\(level): &a\(level) {? \(item) : 1, ? [\(item), \(item)] : 2}\n"
                : "a\(level): &a\(level) [\(Array(repeating: item, count: 9).joined(separator: ", "))]\n"
        }
        return text
    }
}
