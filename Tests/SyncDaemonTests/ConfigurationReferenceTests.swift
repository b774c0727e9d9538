import Backends
import Capture
import Foundation
import TestSupport
import Testing

@testable import SyncDaemon

@Suite struct ConfigurationReferenceTests {
    private static let page = ConfigurationTests.shipped.replacing(
        "config/homing.yaml", with: "Sources/SyncDaemon/Documentation.docc/ConfigurationReference.md")

    private static let keys = ConfigurationKey.all.map(\.declared)
    private static let paths = keys.map(\.path)

    private func load(_ text: String) throws -> Configuration {
        let directory = try TemporaryDirectory()
        try directory.write(text, to: "homing.yaml")
        return try Configuration.load(file: directory("homing.yaml"), environment: ["STATE_DIRECTORY": "/var/lib/homing"])
    }

    private func setting(_ path: String, of configuration: Configuration) -> String? {
        configuration.settings.first { $0.key == path }?.value
    }

    /// The key alone, with what its table requires.
    private func text(_ key: DeclaredKey, _ value: String) -> String {
        let tables = key.table.split(separator: ".")
        let indent = String(repeating: "  ", count: tables.count)
        var lines = tables.enumerated().map { String(repeating: "  ", count: $0.offset) + "\($0.element):" }
        if key.table == "notify", key.name != "webhook" { lines.append("\(indent)webhook: https://alerts.test/") }
        if key.table == "notify.mail", key.name != "to" { lines.append("\(indent)to: it@clinic.example") }
        return (lines + ["\(indent)\(key.name): \(value)", ""]).joined(separator: "\n")
    }

    private func declaration(_ path: String) throws -> DeclaredKey { try #require(Self.keys.first { $0.path == path }) }

    /// To write the page: `homingd reference > Sources/SyncDaemon/Documentation.docc/ConfigurationReference.md`
    @Test func pageIsTheOutputOfTheCommand() throws {
        #expect(try String(contentsOfFile: Self.page, encoding: .utf8) == ConfigurationReference.text)
    }

    @Test func declaresExactlyTheKeysThatAreCompared() throws {
        let compared = try load("").settings.map(\.key)
        #expect(Set(Self.paths) == Set(compared))
        #expect(Set(Self.paths).count == Self.paths.count)
    }

    /// The list of keys comes from the reader's error message.
    @Test(arguments: ["", "spool", "delivery", "timeouts", "outbox", "access", "notify", "notify.mail"])
    func declaresExactlyTheKeysThatAreRead(table: String) throws {
        let probe = table.split(separator: ".").reversed().reduce("no_such_key: 1") { "\($1): {\($0)}" }
        let mistakes = try #require(#expect(throws: Mistakes.self) { try load(probe) })
        let mistake = try #require(mistakes.all.first { $0.key.hasSuffix("no_such_key") })
        let read = mistake.expected.replacing("one of ", with: "").components(separatedBy: ", ")
        // A table is a key of the table that has it.
        let tables = Set(Self.keys.map(\.table)).filter { $0.split(separator: ".").dropLast().joined(separator: ".") == table }
        let inner = tables.compactMap { $0.split(separator: ".").last.map(String.init) }
        let declared = Self.keys.filter { $0.table == table }.map(\.name)
        #expect(Set(read) == Set(declared + inner))
    }

    @Test(arguments: paths) func exampleIsAccepted(path: String) throws {
        let key = try declaration(path)
        let before = try #require(setting(path, of: try load("")))
        let after = try #require(setting(path, of: try load(text(key, key.example))))
        #expect(after != before, "\(path): the example does not show another value")
    }

    /// A default in the syntax of the file is one that the reader accepts, and that changes nothing.
    @Test(arguments: paths) func defaultIsThatOfAnEmptyConfiguration(path: String) throws {
        let key = try declaration(path)
        let empty = try load("")
        let value = try #require(setting(path, of: empty))
        guard key.usual == nil else { return }
        #expect(ConfigurationReference.defaults[path] == value)
        #expect(ConfigurationReference.text.contains("| `\(key.name)` | \(key.type) | `\(value)` |"))
        #expect(setting(path, of: try load(text(key, value))) == value)
    }

    /// The defaults that are words, and what an empty configuration has instead.
    @Test func wordsForDefaultsAreThoseOfKeysThatDependOnTheStation() throws {
        let worded = Dictionary(uniqueKeysWithValues: Self.keys.filter { $0.usual != nil }.map { ($0.path, $0.usual ?? "") })
        #expect(
            Set(worded.keys) == [
                "backends", "ca_file", "proxy", "no_proxy", "spool.backend", "access.observe", "access.operate", "access.administer",
                "notify.webhook", "notify.webhook_secret", "notify.mail.to", "notify.mail.from", "notify.quiet_hours",
            ])
        let empty = try load("")
        #expect(empty.limits.caFile == nil && empty.limits.proxies == .init() && empty.spool.backend == nil && empty.notify == nil)
    }

    /// Values that are commented out in the shipped file are defaults too.
    @Test func shippedFileShowsTheDefaults() throws {
        let text = try String(contentsOfFile: ConfigurationTests.shipped, encoding: .utf8)
        var (tables, shown) = ([String](), [String: String]())
        for line in text.split(separator: "\n") {
            let depth = line.drop { $0 == "#" }.prefix { $0 == " " }.count / 2
            let bare = line.drop { "# ".contains($0) }
            guard let colon = bare.firstIndex(of: ":"), bare[..<colon].allSatisfy({ $0.isLowercase || $0 == "_" }) else { continue }
            let (name, value) = (String(bare[..<colon]), bare[bare.index(after: colon)...].trimmingCharacters(in: .whitespaces))
            tables = Array(tables.prefix(depth))
            if value.isEmpty { tables.append(name) } else { shown[(tables + [name]).joined(separator: ".")] = value }
        }
        #expect(Set(shown.keys) == Set(Self.paths))
        for key in Self.keys where key.usual == nil {
            #expect(shown[key.path] == ConfigurationReference.defaults[key.path], "\(key.path)")
        }
    }

    @Test func meaningsAreSentencesWithoutTableMarks() {
        for key in Self.keys {
            #expect(key.meaning.hasSuffix(".") && key.meaning.first?.isUppercase == true, "\(key.path)")
            #expect(![key.meaning, key.type, key.example, key.usual ?? ""].joined().contains { $0 == "|" || $0.isNewline }, "\(key.path)")
        }
    }
}
