import Backends
import Capture
import ControlServer
import Delivery
import Foundation
import TestSupport
import Testing

@testable import SyncDaemon

@Suite struct ConfigurationFormTests {
    private let environment = ["HOME": "/home/ann"]

    private func load(_ text: String) throws -> Configuration {
        let directory = try TemporaryDirectory()
        try directory.write(text, to: "homing.yaml")
        return try Configuration.load(file: directory("homing.yaml"), environment: environment)
    }

    @Test(arguments: ["", "\n\n", "# nothing\n", "  # nothing\n\n\t\n", "# nothing\r\n# at all\r\n"])
    func emptyFileKeepsDefaults(text: String) throws {
        let configuration = try load(text)
        #expect(configuration.delivery == Configuration(places: Places(environment: environment)).delivery)
        #expect(configuration.spool.route == "measurement")
    }

    @Test(arguments: ["\n", "\r\n"]) func acceptsBothLineEndings(end: String) throws {
        let text = ["# The station in room 4", "state_directory: /srv/homing", "delivery:", "  in_flight: 9", ""].joined(separator: end)
        let configuration = try load(text)
        #expect(configuration.stateDirectory == "/srv/homing")
        #expect(configuration.spool.directory == "/srv/homing/spool")
        #expect(configuration.delivery.inFlight == 9)
    }

    @Test(arguments: [
        ("delivery: {attempts: 4}", "homing.yaml:1: delivery.attempts: expected a whole number from 1 to 3, found 4"),
        (
            "spol: {}",
            "homing.yaml:1: spol: expected one of access, backends, ca_file, delivery, no_proxy, notify, outbox, proxy, socket, spool, state_directory, timeouts"
        ),
        ("# one\nspool: 5", "homing.yaml:2: spool: expected a table of keys"),
        ("socket: 5", "homing.yaml:1: socket: expected a path, found 5"),
        ("socket: ''", "homing.yaml:1: socket: expected a path, found \"\""),
        ("state_directory: \"\"", "homing.yaml:1: state_directory: expected a path, found \"\""),
        ("spool: {directory: ''}", "homing.yaml:1: spool.directory: expected a path, found \"\""),
        ("ca_file: [a.pem]", "homing.yaml:1: ca_file: expected a path, found a list"),
        ("no_proxy: 3.5", "homing.yaml:1: no_proxy: expected text, or a list of texts, found 3.5"),
        ("timeouts: {connect: soon}", "homing.yaml:1: timeouts.connect: expected a number of seconds from 0.1 to 600"),
    ])
    func mistakeNamesFileLineKeyAndExpectedValue(text: String, words: String) throws {
        let mistakes = try #require(#expect(throws: Mistakes.self) { try load(text) })
        #expect(mistakes.all.count == 1)
        #expect(mistakes.description.contains(words), "\(mistakes)")
    }

    @Test func acceptsExistingGroupByNameOrNumber() throws {
        let configuration = try load("access: {observe: daemon, operate: 0, administer: 60123}")
        #expect(
            configuration.access
                == AccessGroups(
                    observe: .init(name: "daemon", id: 1), operate: .init(name: "root", id: 0), administer: .init(name: "60123", id: 60_123)
                ))
        for wrong in ["no-such-group-here", "-1", "4294967296", "true", "''"] {
            let mistakes = try #require(#expect(throws: Mistakes.self) { try load("access:\n  operate: \(wrong)") })
            #expect(mistakes.all.map(\.key) == ["access.operate"])
            #expect(mistakes.all.first?.line == 2)
            #expect(mistakes.description.contains("expected a group of this system (see ‘getent group’"))
        }
    }

    @Test func unsetGroupsKeepDefaults() throws {
        let usual = Configuration(places: Places(environment: environment)).access
        let configuration = try load("access: {observe: daemon}")
        #expect(configuration.access.observe?.name == "daemon")
        #expect(configuration.access.operate == usual.operate)
        #expect(configuration.access.administer == usual.administer)
    }

    @Test(arguments: ["delivery: {", "a: b: c", "- one"]) func refusesInvalidYAMLAndLists(text: String) {
        #expect(throws: Mistakes.self) { try load(text) }
    }

    @Test func readsDefaultFileOrUsesDefaults() throws {
        let directory = try TemporaryDirectory()
        let environment = ["STATE_DIRECTORY": directory("state"), "CONFIGURATION_DIRECTORY": directory("etc")]
        let configuration = try Configuration.load(file: nil, environment: environment)
        #expect(configuration.stateDirectory == directory("state"))
        #expect(configuration.backends == directory("etc/backends"))
        try FileManager.default.createDirectory(atPath: directory("etc"), withIntermediateDirectories: true)
        try directory.write("delivery: {in_flight: 7}\n", to: "etc/homing.yaml")
        #expect(try Configuration.load(file: nil, environment: environment).delivery.inFlight == 7)
    }
}
