import Backends
import Capture
import ControlServer
import Delivery
import Foundation
import Glibc
import TestSupport
import Testing

@testable import SyncDaemon

@Suite struct DropInsTests {
    private let directory: TemporaryDirectory
    private let environment = ["HOME": FileManager.default.temporaryDirectory.path + "/ann"]

    init() throws {
        directory = try TemporaryDirectory()
        let shipped = ConfigurationTests.shipped.replacing("homing.yaml", with: "backends/breathesafe.yaml")
        try FileManager.default.createDirectory(atPath: directory("backends"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: shipped, toPath: directory("backends/breathesafe.yaml"))
        try FileManager.default.createDirectory(atPath: directory("homing.yaml.d"), withIntermediateDirectories: true)
        try write("state_directory: state\nsocket: homing.sock\n", to: nil)
    }

    /// Nil for the configuration itself.
    private func write(_ text: String, to name: String?) throws {
        try directory.write(text, to: name.map { "homing.yaml.d/\($0)" } ?? "homing.yaml")
    }

    private func load() throws(Mistakes) -> Configuration {
        try Configuration.load(file: directory("homing.yaml"), environment: environment)
    }

    private func check() -> ConfigurationCheck { ConfigurationCheck.run(file: directory("homing.yaml"), environment: environment) }

    private func mistakes() throws -> [Mistake] {
        try #require(#expect(throws: Mistakes.self) { try load() }).all
    }

    @Test func laterFileReplacesSingleKeysOfTables() throws {
        try write("state_directory: state\ndelivery: {in_flight: 2, attempts: 2}\nno_proxy: [a.test, b.test]\n", to: nil)
        try write("delivery:\n  in_flight: 5\n", to: "10-a.yaml")
        try write("delivery: {in_flight: 7}\nno_proxy: [c.test]\n", to: "20-b.yaml")
        let configuration = try load()
        #expect(configuration.delivery.inFlight == 7)
        #expect(configuration.delivery.retry.attempts == 2)
        #expect(configuration.limits.proxies.exceptions == ["c.test"])
        #expect(configuration.stateDirectory == directory("state"))
    }

    @Test func readsFilesInTheOrderOfTheBytesOfTheirNames() throws {
        for (place, name) in ["é.yaml", "a.yaml", "Z.yaml", "9.yaml", "10.yaml"].enumerated() {
            try write("delivery: {in_flight: \(place + 1)}\n", to: name)
        }
        let configuration = try load()
        let names = configuration.files.map { URL(fileURLWithPath: $0).lastPathComponent }
        #expect(names == ["homing.yaml", "10.yaml", "9.yaml", "Z.yaml", "a.yaml", "é.yaml"])
        #expect(configuration.delivery.inFlight == 1)
        let listed = configuration.files.map { "  \($0)" }.joined(separator: "\n")
        let text = check().text
        #expect(text.contains("files, in the order in which they are read:\n\(listed)\n"), "\(text)")
    }

    /// Of a name, a text, and the description of the mistake after the folder.
    @Test(arguments: [
        ("a.yaml", "# one\nspol: {}\n", "a.yaml:2: spol: expected one of"),
        ("a.yaml", "delivery: {attempts: 9}\n", "a.yaml:1: delivery.attempts: expected a whole number from 1 to 3, found 9"),
        ("a.yaml", "delivery: 5\n", "a.yaml:1: delivery: expected a table of keys, found 5"),
        ("a.yaml", "socket: one\nsocket: two\n", "a.yaml:"),
        ("a.yaml", "- socket\n", "a.yaml:1: expected a table of keys, found a list"),
        ("a.yaml", "delivery: &d {in_flight: 2}\n", "a.yaml:1: expected the value itself, found an anchor (&) or its alias (*)"),
        ("a.yaml", "a: [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n", "a.yaml: expected the values themselves, found many aliases (*)"),
        ("a.yaml", "delivery: {", "a.yaml:"),
        ("a.yaml", "spool: {route: nothing}\n", "a.yaml:1: spool.route: expected a route of breathesafe"),
        ("a.yaml", "spool: {directory: homing.yaml}\n", "a.yaml:1: spool.directory: expected a folder"),
    ])
    func mistakeNamesFileAndLineOfDropIn(name: String, text: String, words: String) throws {
        try write(text, to: name)
        let report = check()
        #expect(!report.isGood && report.text.contains("\(directory("homing.yaml.d"))/\(words)"), "\(report.text)")
    }

    @Test func reportsMistakesOfAllFilesAtOnce() throws {
        try write("state_directory: state\nsocket: 5\n", to: nil)
        try write("spol: {}\n", to: "a.yaml")
        try write("delivery: {attempts: 9}\n", to: "b.yaml")
        try write("delivery: {", to: "c.yaml")
        let files = try mistakes().map { URL(fileURLWithPath: $0.file).lastPathComponent }
        #expect(Set(files) == ["homing.yaml", "a.yaml", "b.yaml", "c.yaml"] && files.count == 4)
    }

    /// A station that lacks the group of the shared file can name another one.
    @Test func replacedValueIsNotChecked() throws {
        try write("state_directory: state\naccess: {operate: no-such-group-here}\n", to: nil)
        #expect(try mistakes().map(\.key) == ["access.operate"])
        try write("access: {operate: daemon}\n", to: "a.yaml")
        #expect(try load().access.operate?.name == "daemon")
    }

    @Test func checksKeysOfDifferentFilesTogether() throws {
        try write("timeouts: {request: 90}\n", to: "a.yaml")
        #expect(try mistakes().map(\.key) == ["timeouts.exchange"])
        try write("timeouts: {exchange: 120}\n", to: "b.yaml")
        #expect(try load().limits.exchange == .seconds(120))
    }

    @Test(arguments: ["", "\n\n", "# nothing\r\n", "\u{feff}", "\u{feff}# nothing\n"]) func emptyDropInChangesNothing(text: String) throws {
        try write(text, to: "a.yaml")
        #expect(try load().delivery.inFlight == 4)
    }

    @Test(arguments: ["delivery:\r\n  in_flight: 9\r\n", "\u{feff}delivery: {in_flight: 9}\n"])
    func acceptsOtherLineEndingsAndByteOrderMark(text: String) throws {
        try write(text, to: "a.yaml")
        #expect(try load().delivery.inFlight == 9)
    }

    /// As systemd's drop-ins.
    @Test func linkToTheNullDeviceMasksADropIn() throws {
        try write("", to: "b.yaml")
        let folder = directory("homing.yaml.d")
        try FileManager.default.createSymbolicLink(atPath: folder + "/a.yaml", withDestinationPath: "/dev/null")
        #expect(try load().files.map { ($0 as NSString).lastPathComponent } == ["homing.yaml", "b.yaml"])
    }

    @Test func relativePathStartsAtFolderOfConfiguration() throws {
        try write("spool: {directory: drop}\n", to: "a.yaml")
        #expect(try load().spool.directory == directory("drop"))
    }

    @Test func readsDropInsOfDefaultFileThatIsMissing() throws {
        let environment = ["STATE_DIRECTORY": directory("state"), "CONFIGURATION_DIRECTORY": directory.path]
        try FileManager.default.removeItem(atPath: directory("homing.yaml"))
        try write("delivery: {in_flight: 9}\n", to: "a.yaml")
        let configuration = try Configuration.load(file: nil, environment: environment)
        #expect(configuration.delivery.inFlight == 9)
        #expect(configuration.files == [directory("homing.yaml.d/a.yaml")])
        #expect(configuration.backends == directory("backends"))
    }

    @Test func everyConfigurationHasItsOwnFolder() throws {
        try FileManager.default.moveItem(atPath: directory("homing.yaml"), toPath: directory("other.yaml"))
        try write("delivery: {in_flight: 9}\n", to: "a.yaml")
        #expect(try Configuration.load(file: directory("other.yaml"), environment: environment).delivery.inFlight == 4)
    }
}
