import Backends
import Capture
import Foundation
import TestSupport
import Testing

@testable import SyncDaemon

@Suite struct ConfigurationTests {
    static let shipped =
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .path + "/config/homing.yaml"
    private let environment = ["HOME": FileManager.default.temporaryDirectory.path + "/ann"]

    private func load(_ text: String) throws -> Configuration {
        let directory = try TemporaryDirectory()
        try directory.write(text, to: "homing.yaml")
        return try Configuration.load(file: directory("homing.yaml"), environment: environment)
    }

    @Test func shippedFileMatchesDefaults() throws {
        let shipped = try Configuration.load(file: Self.shipped, environment: environment)
        var defaults = Configuration(places: Places(environment: environment))
        // The shipped file names the backend, because the shipped folder has several.
        defaults.spool.backend = "breathesafe"
        #expect(shipped.delivery == defaults.delivery)
        #expect(shipped.limits == defaults.limits)
        #expect(shipped.spool == defaults.spool)
        #expect(shipped.keepDelivered == defaults.keepDelivered)
        #expect(shipped.stateDirectory == defaults.stateDirectory)
        #expect(shipped.socket == defaults.socket)
        #expect(shipped.access == defaults.access)
    }

    @Test func refusesRouteThatTakesNoDroppedFiles() throws {
        func check(_ spool: String, of backend: String) throws -> String {
            let folder = URL(fileURLWithPath: Self.shipped).deletingLastPathComponent().path + "/backends/"
            let directory = try TemporaryDirectory()
            try FileManager.default.createDirectory(atPath: directory("backends"), withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: "\(folder)\(backend).yaml", toPath: directory("backends/\(backend).yaml"))
            try directory.write("state_directory: state\nspool: \(spool)\n", to: "homing.yaml")
            return ConfigurationCheck.run(file: directory("homing.yaml"), environment: environment).text
        }
        let misses = try check("{route: create_managed_user}", of: "breathesafe")
        #expect(
            misses.contains(
                "spool.route: expected a route of breathesafe that takes dropped files: fit_test, measurement, profile, found create_managed_user"
            ), "\(misses)")
        let none = try check("{route: appointment}", of: "labloop")
        #expect(
            none.contains("homing.yaml:2: spool.route: expected ‘enabled: false’ instead, because no route of labloop takes"), "\(none)")
        #expect(try check("{enabled: false}", of: "labloop").contains("The configuration is good."))
        #expect(try check("{enabled: false}", of: "labloop").contains("spool: off"))
    }

    /// Keys may be commented out. The list of keys comes from the reader's error message.
    @Test(arguments: ["", "spool", "delivery", "timeouts", "outbox", "access", "notify", "notify.mail"])
    func shippedFileNamesEveryKey(table: String) throws {
        let text = try String(contentsOfFile: Self.shipped, encoding: .utf8)
        let probe = table.split(separator: ".").reversed().reduce("no_such_key: 1") { "\($1): {\($0)}" }
        let mistakes = #expect(throws: Mistakes.self) { try load(probe) }
        let mistake = try #require(mistakes?.all.first)
        #expect(mistake.key.hasSuffix("no_such_key"))
        let keys = mistake.expected.replacingOccurrences(of: "one of ", with: "").components(separatedBy: ", ")
        #expect(keys.count >= 1)
        for key in keys {
            #expect(text.contains("\n\(key):") || text.contains("#\(key):") || text.contains("  \(key):"), "\(table).\(key)")
        }
    }

    @Test func resolvesRelativePathsFromFolderOfFile() throws {
        let directory = try TemporaryDirectory()
        try directory.write("state_directory: state\nsocket: ../h.sock\nspool: {directory: drop}\n", to: "homing.yaml")
        let configuration = try Configuration.load(file: directory("homing.yaml"), environment: environment)
        #expect(configuration.stateDirectory == directory("state"))
        #expect(configuration.socket == "/tmp/h.sock")
        #expect(configuration.spool.directory == directory("drop"))
        #expect(configuration.backends == directory("backends"))
    }

    @Test func reportsAllMistakesAtOnce() throws {
        let mistakes = #expect(throws: Mistakes.self) {
            try load(
                "delivery: {attempts: 4, in_flight: many}\ntimeouts: {connect: -1, request: 90, exchange: 60}\nca_file: /nowhere.pem\nspol: {}\n"
            )
        }
        let keys = Set(mistakes?.all.map(\.key) ?? [])
        #expect(keys == ["delivery.attempts", "delivery.in_flight", "timeouts.connect", "timeouts.exchange", "ca_file", "spol"])
        #expect(mistakes?.all.allSatisfy { $0.file.hasSuffix("homing.yaml") && $0.line != nil } == true)
    }

    @Test(
        arguments: [
            ("", [:], "none", ""), ("", ["HTTPS_PROXY": "http://env.test:1", "NO_PROXY": "a.test,b.test"], "env.test:1", "a.test, b.test"),
            (
                "proxy: http://ann:secret@file.test:2\n", ["HTTPS_PROXY": "http://env.test:1", "NO_PROXY": "a.test"], "file.test:2",
                "a.test"
            ),
            ("proxy: none\n", ["HTTPS_PROXY": "http://env.test:1"], "none", ""),
            ("no_proxy: [c.test, d.test]\n", ["https_proxy": "env.test:1", "NO_PROXY": "a.test"], "env.test:1", "c.test, d.test"),
        ] as [(String, [String: String], String, String)])
    func takesProxyFromFileOrEnvironment(text: String, variables: [String: String], proxy: String, exceptions: String) throws {
        let directory = try TemporaryDirectory()
        try directory.write("state_directory: state\n" + text, to: "homing.yaml")
        let environment = environment.merging(variables) { $1 }
        let configuration = try Configuration.load(file: directory("homing.yaml"), environment: environment)
        let settings = Dictionary(uniqueKeysWithValues: configuration.settings.map { ($0.key, $0.value) })
        #expect(settings["proxy"] == proxy && settings["no_proxy"] == exceptions)
    }

    @Test(arguments: ["first_delay", "longest_delay", "lookup_after"]) func delayIsAtMostSixHours(key: String) throws {
        _ = try load("delivery: {\(key): 21600}\n")
        let mistakes = #expect(throws: Mistakes.self) { try load("delivery: {\(key): 21601}\n") }
        #expect(mistakes?.all.map(\.key) == ["delivery.\(key)"])
        #expect(mistakes?.all.first?.expected == "a number of seconds from 0.001 to 21600")
    }

    @Test func refusesInvalidProxy() throws {
        #expect(throws: Mistakes.self) { try load("proxy: ftp://proxy.test\n") }
        let directory = try TemporaryDirectory()
        try directory.write("state_directory: state\n", to: "homing.yaml")
        let mistakes = #expect(throws: Mistakes.self) {
            try Configuration.load(file: directory("homing.yaml"), environment: ["HTTPS_PROXY": "socks5://proxy.test"])
        }
        #expect(mistakes?.all.map(\.key) == ["HTTPS_PROXY"])
    }

    @Test func refusesMissingNamedFile() {
        #expect(throws: Mistakes.self) { try Configuration.load(file: "/nowhere/homing.yaml", environment: environment) }
    }

    @Test(arguments: [
        (
            ["HOME": "/home/ann"], false, "/home/ann/.config/homing", "/home/ann/.local/state/homing",
            "/home/ann/.local/state/homing/homing.sock"
        ),
        (
            ["HOME": "/home/ann", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s", "XDG_RUNTIME_DIR": "/run/user/1"], false, "/c/homing",
            "/s/homing",
            "/run/user/1/homing/homing.sock"
        ),
        (
            ["HOME": "/home/ann", "XDG_STATE_HOME": "relative"], false, "/home/ann/.config/homing", "/home/ann/.local/state/homing",
            "/home/ann/.local/state/homing/homing.sock"
        ),
        (["HOME": "/root"], true, "/etc/homing", "/var/lib/homing", "/run/homing/homing.sock"),
        (["STATE_DIRECTORY": "/var/lib/x", "RUNTIME_DIRECTORY": "/run/x"], false, "/etc/homing", "/var/lib/x", "/run/x/homing.sock"),
    ])
    func placesDependOnUserAndSystem(environment: [String: String], isRoot: Bool, configuration: String, state: String, socket: String) {
        let places = Places(environment: environment, isRoot: isRoot)
        #expect(places.configuration == configuration)
        #expect(places.state == state)
        #expect(places.socket == socket)
    }

    @Test func checkReportsConfigurationAndProfileMistakesTogether() throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory("backends"), withIntermediateDirectories: true)
        try directory.write("delivery: {attempts: 9}\n", to: "homing.yaml")
        try directory.write("schema: 1\nname: x\nbase_url: http://example.org\nauth: {scheme: cookie}\n", to: "backends/x.yaml")
        let report = ConfigurationCheck.run(file: directory("homing.yaml"), environment: environment)
        #expect(!report.isGood)
        #expect(report.text.contains("delivery.attempts"))
        #expect(report.text.contains("base_url"))
    }

    private func folder(_ configuration: String, _ old: String = "schema: 1", _ new: String = "schema: 1") throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory("backends"), withIntermediateDirectories: true)
        let shipped = Self.shipped.replacing("homing.yaml", with: "backends/breathesafe.yaml")
        try directory.write(try String(contentsOfFile: shipped, encoding: .utf8).replacing(old, with: new), to: "backends/breathesafe.yaml")
        try directory.write(configuration, to: "homing.yaml")
        return directory
    }

    private func mistakes(_ directory: TemporaryDirectory) throws -> [String] {
        let file = directory("homing.yaml")
        let report = ConfigurationCheck.run(file: file, environment: environment)
        do throws(Mistakes) { _ = try ConfigurationCheck.configuration(file: file, environment: environment) } catch {
            #expect(report.text.hasPrefix(error.description + "\n"))
            return error.all.map(\.key)
        }
        #expect(report.isGood)
        return []
    }

    @Test func reportsUnknownRouteBesideOtherMistakes() throws {
        let route = "spool: {route: mesurement}\n"
        #expect(try mistakes(folder(route)) == ["spool.route"])
        #expect(try mistakes(folder(route + "socket: 5\n")) == ["socket", "spool.route"])
        #expect(try mistakes(folder(route, "timeout: 60", "timeout: soon")) == ["timeout", "spool.route"])
        #expect(try mistakes(folder("spool: {backend: nobody}\nsocket: 5\n")) == ["socket", "spool.backend"])
    }

    /// `homingd run` would refuse to start with each of these.
    @Test func checkReportsUnusablePathsAndCreatesNothing() throws {
        let places = "state_directory: state\nsocket: homing.sock\n"
        func mistakes(_ text: String) throws -> [String] {
            let directory = try folder(text)
            try directory.write("", to: "file")
            let before = FileManager.default.subpaths(atPath: directory.path)?.sorted()
            defer { #expect(FileManager.default.subpaths(atPath: directory.path)?.sorted() == before) }
            return try self.mistakes(directory)
        }
        #expect(try mistakes(places + "ca_file: file\n") == ["ca_file"])
        #expect(try mistakes(places + "ca_file: backends\n") == ["ca_file"])
        #expect(try mistakes("state_directory: state\nsocket: \(String(repeating: "s", count: 108))\n") == ["socket"])
        #expect(try mistakes("state_directory: file\n") == ["state_directory"])
        #expect(try mistakes("state_directory: file/below/it\n") == ["state_directory"])
        #expect(try mistakes(places + "spool: {directory: file}\n") == ["spool.directory"])
        #expect(try mistakes(places + "spool: {directory: file, enabled: false}\n").isEmpty)
        // Users with access to the drop folder could move the state directory's files.
        for drop in ["drop", "drop/new", "drop/new/users/9"] {
            #expect(try mistakes("state_directory: \(drop)/new/users/9\nsocket: s\nspool: {directory: \(drop)}\n") == ["spool.directory"])
        }
        #expect(try mistakes("state_directory: ~/foo\n") == ["state_directory"])
        #expect(try mistakes(places + "spool: {directory: ~ann/foo}\n") == ["spool.directory"])
        #expect(try mistakes(places + "delivery: {first_pause: 10, longest_pause: 9}\n") == ["delivery.longest_pause"])
        #expect(try mistakes(places + "delivery: {first_pause: 601}\n") == ["delivery.longest_pause"])
    }

    @Test func oneMistakeCausesNoFurtherMistakes() throws {
        #expect(try mistakes(folder("spool: 5\n")) == ["spool"])
        #expect(try mistakes(folder("spool: {backend: 5}\n")) == ["spool.backend"])
        #expect(try mistakes(folder("\tspool: {backend: nobody}\n")) == [""])
        #expect(try mistakes(folder("spool: {enabled: no, route: create_managed_user}\n")) == ["spool.enabled"])
        #expect(try mistakes(folder("backends: nowhere\n")) == [""])
        #expect(
            try mistakes(folder("", "POST /users/{item.user_id}/facial_measurements_from_arkit", "send it")) == [
                "routes.measurement.request"
            ])
        #expect(try mistakes(folder("", "name: breathesafe", "name: Breathe Safe")) == ["name"])
    }

    @Test func missingFolderAndPresetMistakesGiveNextStep() throws {
        func text(_ directory: TemporaryDirectory) -> String {
            ConfigurationCheck.run(file: directory("homing.yaml"), environment: environment).text
        }
        let nowhere = text(try folder("backends: nowhere\n"))
        #expect(nowhere.contains("/nowhere: expected a folder with a profile for each backend: create it"), "\(nowhere)")
        #expect(nowhere.contains("found no such folder"))
        let preset = text(try folder("", "timeout: 60", "extends: firebase"))
        #expect(preset.contains("without .yaml; copy firebase.yaml into the folder, found \"firebase\""), "\(preset)")
    }

    @Test func reportsIgnoredProfileFile() throws {
        let directory = try folder("")
        try directory.write("", to: "backends/notes.yml")
        let good = ConfigurationCheck.run(file: directory("homing.yaml"), environment: environment)
        #expect(
            good.isGood && good.text.contains("/backends/notes.yml is ignored: the name of a profile must end in .yaml."), "\(good.text)")
        try directory.write("socket: 5\n", to: "homing.yaml")
        let wrong = ConfigurationCheck.run(file: directory("homing.yaml"), environment: environment)
        #expect(!wrong.isGood && wrong.text.contains("/backends/notes.yml is ignored"), "\(wrong.text)")
    }

    @Test func unknownSpoolBackendMistakeNamesUsableBackends() throws {
        let directory = try folder("spool: {backend: nobody}\n")
        let text = ConfigurationCheck.run(file: directory("homing.yaml"), environment: environment).text
        #expect(text.contains("spool.backend: expected one of breathesafe; or ‘enabled: false’ instead"), "\(text)")
    }

    @Test func unreadableFileIsTheOnlyMistake() {
        let report = ConfigurationCheck.run(file: "/nope.yaml", environment: environment)
        #expect(
            report.text == "/nope.yaml: expected the configuration, as YAML, found no readable file: no such file or directory\n1 mistake.")
    }

    @Test func mistypedKeyIsAnsweredWithTheRightOne() throws {
        let mistakes = #expect(throws: Mistakes.self) { try load("delivery: {lookup_afer: 9}\n") }
        #expect(mistakes?.all.map(\.key) == ["delivery.lookup_afer"])
        #expect(mistakes?.description.hasSuffix(", found an unknown key; did you mean lookup_after?") == true)
        let unlike = #expect(throws: Mistakes.self) { try load("colour: red\n") }
        #expect(unlike?.all.first?.found == "an unknown key")
    }

    /// A user who can write to one of them can redirect captures, or remove the store.
    @Test(arguments: ["homing.yaml", "backends", "backends/breathesafe.yaml", "state"])
    func reportsFilesThatAllUsersCanChange(name: String) throws {
        let directory = try folder("state_directory: state\nsocket: homing.sock\n")
        try FileManager.default.createDirectory(atPath: directory("state"), withIntermediateDirectories: true)
        func check(mode: mode_t) -> ConfigurationCheck {
            chmod(directory(name), mode)
            return ConfigurationCheck.run(file: directory("homing.yaml"), environment: environment)
        }
        #expect(check(mode: 0o775).isGood)
        let report = check(mode: 0o777)
        #expect(!report.isGood && report.text.contains("\(directory(name)): expected no write access for all users"), "\(report.text)")
        #expect(report.text.contains("chmod o-w \(directory(name)), found mode 777"), "\(report.text)")
        #expect(throws: Mistakes.self) { try ConfigurationCheck.configuration(file: directory("homing.yaml"), environment: environment) }
    }

    @Test func shippedConfigurationAndProfilesAreValid() {
        let report = ConfigurationCheck.run(file: Self.shipped, environment: environment)
        #expect(report.isGood, "\(report.text)")
        #expect(report.text.contains("breathesafe"))
    }
}
