import Backends
import Capture
import Foundation
import TestSupport
import Testing

@testable import SyncDaemon

/// Evaluates a reloaded configuration before it is applied. See Reloading.
@Suite struct ReloadTests {
    private let directory: TemporaryDirectory
    private let profile: String

    init() throws {
        directory = try TemporaryDirectory()
        let shipped = URL(fileURLWithPath: ConfigurationTests.shipped).deletingLastPathComponent().path + "/backends/breathesafe.yaml"
        profile = try String(contentsOfFile: shipped, encoding: .utf8)
        try FileManager.default.createDirectory(atPath: directory("backends"), withIntermediateDirectories: true)
        try directory.write(profile, to: "backends/breathesafe.yaml")
        try configure("")
    }

    private func configure(_ text: String, places: String = "state_directory: state\nsocket: homing.sock\n") throws {
        try directory.write(places + text, to: "homing.yaml")
    }

    private func read() throws -> (configuration: Configuration, backends: [Backend]) {
        try ConfigurationCheck.read(file: directory("homing.yaml"), environment: [:], deviceID: "device")
    }

    private func reload(_ change: () throws -> Void) throws -> (reload: Reload, restart: [ConfigurationChange]) {
        let inForce = try read()
        try change()
        var restart: [ConfigurationChange] = []
        let reload = Reload(file: directory("homing.yaml"), environment: [:], inForce: inForce, deviceID: "device", restart: &restart)
        return (reload, restart)
    }

    private func changes(_ change: () throws -> Void) throws -> [ConfigurationChange] {
        guard case .changed(_, _, let changes) = try reload(change).reload else { return [] }
        return changes
    }

    @Test func ignoresCommentsAndKeyOrder() throws {
        try configure("delivery: {in_flight: 4, attempts: 3}\n")
        let (reload, restart) = try reload {
            try configure("# by hand\ndelivery:\n  attempts: 3\n  in_flight: 4\n")
            try directory.write("# mine\n" + profile, to: "backends/breathesafe.yaml")
        }
        guard case .unchanged = reload else { return #expect(Bool(false), "\(reload)") }
        #expect(restart.isEmpty)
    }

    @Test func comparesEveryKeyOfShippedFile() throws {
        let text = try String(contentsOfFile: ConfigurationTests.shipped, encoding: .utf8)
        var (tables, keys) = ([String](), Set<String>())
        for line in text.split(separator: "\n") {
            let depth = line.drop { $0 == "#" }.prefix { $0 == " " }.count / 2
            let bare = line.drop { "# ".contains($0) }
            guard let colon = bare.firstIndex(of: ":"), bare[..<colon].allSatisfy({ $0.isLowercase || $0 == "_" }) else { continue }
            let (key, value) = (String(bare[..<colon]), bare[bare.index(after: colon)...].trimmingCharacters(in: .whitespaces))
            tables = Array(tables.prefix(depth))
            if value.isEmpty { tables.append(key) } else { keys.insert((tables + [key]).joined(separator: ".")) }
        }
        #expect(keys.count > 15)
        #expect(Set(try read().configuration.settings.map(\.key)) == keys)
    }

    @Test func reportsOldAndNewValues() throws {
        let changes = try changes { try configure("delivery: {in_flight: 9, first_delay: 2.5}\ntimeouts: {exchange: 90}\n") }
        #expect(
            changes == [
                .key("delivery.in_flight", from: "4", to: "9"), .key("delivery.first_delay", from: "5", to: "2.5"),
                .key("timeouts.exchange", from: "60", to: "90"),
            ])
        #expect(changes.first?.detail.name == "delivery.in_flight")
        #expect(changes.first?.detail.text == "4 → 9")
    }

    @Test func reportsAddedChangedAndRemovedDropIns() throws {
        let dropIn = "homing.yaml.d/50-site.yaml"
        let added = try changes {
            try FileManager.default.createDirectory(atPath: directory("homing.yaml.d"), withIntermediateDirectories: true)
            try directory.write("delivery: {in_flight: 9}\n", to: dropIn)
        }
        #expect(added == [.key("delivery.in_flight", from: "4", to: "9")])
        let changed = try changes { try directory.write("delivery: {in_flight: 8}\n", to: dropIn) }
        #expect(changed == [.key("delivery.in_flight", from: "9", to: "8")])
        let removed = try changes { try FileManager.default.removeItem(atPath: directory(dropIn)) }
        #expect(removed == [.key("delivery.in_flight", from: "8", to: "4")])
    }

    @Test func mistakeInDropInKeepsTheConfiguration() throws {
        let (reload, _) = try reload {
            try FileManager.default.createDirectory(atPath: directory("homing.yaml.d"), withIntermediateDirectories: true)
            try directory.write("delivery: {attempts: 9}\n", to: "homing.yaml.d/50-site.yaml")
        }
        guard case .mistaken(let mistakes) = reload else { return #expect(Bool(false), "\(reload)") }
        #expect(mistakes.all.map(\.file) == [directory("homing.yaml.d/50-site.yaml")])
    }

    @Test func reportsAddedChangedAndRemovedBackends() throws {
        try configure("spool: {backend: breathesafe}\n")
        let other = profile.replacingOccurrences(of: "name: breathesafe", with: "name: other")
        #expect(try changes { try directory.write(other, to: "backends/other.yaml") } == [.backendAdded("other")])
        let secret = other.replacingOccurrences(of: "timeout: 60", with: "timeout: 61")
            .replacingOccurrences(of: "headers: {Accept: application/json}", with: "headers: {Accept: application/json, X-Key: s3cret}")
        let changed = try changes { try directory.write(secret, to: "backends/other.yaml") }
        #expect(changed == [.backendChanged("other", keys: ["headers.X-Key", "timeout"])])
        #expect(!changed.map(\.detail.text).joined().contains("s3cret"))
        let gone = try changes { try FileManager.default.removeItem(atPath: directory("backends/other.yaml")) }
        #expect(gone == [.backendRemoved("other")])
    }

    @Test func keepsAndReportsSettingsThatNeedARestart() throws {
        let before = try read().configuration
        let (reload, restart) = try reload {
            try configure("delivery: {in_flight: 9}\n", places: "state_directory: elsewhere\nsocket: other.sock\n")
        }
        guard case .changed(let configuration, _, let changes) = reload else { return #expect(Bool(false), "\(reload)") }
        #expect(changes == [.key("delivery.in_flight", from: "4", to: "9")])
        #expect(configuration.stateDirectory == before.stateDirectory)
        #expect(configuration.socket == before.socket)
        #expect(configuration.spool == before.spool)
        #expect(
            restart == [
                .key("state_directory", from: directory("state"), to: directory("elsewhere")),
                .key("socket", from: directory("homing.sock"), to: directory("other.sock")),
                .key("spool.directory", from: directory("state/spool"), to: directory("elsewhere/spool")),
            ])
    }

    @Test func reportsConfigurationAndProfileMistakesAtOnce() throws {
        let (reload, _) = try reload {
            try configure("delivery: {attempts: 9}\n")
            try directory.write(profile + "\nnonsense: 1\n", to: "backends/breathesafe.yaml")
        }
        guard case .mistaken(let mistakes) = reload else { return #expect(Bool(false), "\(reload)") }
        #expect(mistakes.all.map(\.key) == ["delivery.attempts", "nonsense"])
    }
}
