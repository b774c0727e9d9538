import ControlAPI
import Foundation
import Notifying
import TestSupport
import Testing

@testable import homing

@Suite struct NotifySettingsTests {
    private let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    private func load(_ text: String) throws -> NotifySettings {
        try directory.write(text, to: "notify.yaml")
        return try NotifySettings.load(directory("notify.yaml"))
    }

    @Test func withoutAFileTheDefaultsHold() throws {
        #expect(try NotifySettings.load(directory("notify.yaml")) == NotifySettings())
        #expect(try load("# nothing yet\n") == NotifySettings())
    }

    @Test func readsEveryKey() throws {
        let settings = try load(
            """
            delivered_after_outage: false
            needs_person: false
            sign_in: false
            disk: false
            no_delivery_hours: 0
            quiet_hours: "22:00-07:00"
            names: true
            """)
        var expected = NotifySettings()
        (expected.deliveredAfterOutage, expected.needsPerson, expected.signIn, expected.disk) = (false, false, false, false)
        (expected.noDeliveryHours, expected.quietHours, expected.names) = (0, QuietHours("22:00-07:00"), true)
        #expect(settings == expected && settings.quietHours != nil)
    }

    @Test(arguments: [
        ("nanes: true", "nanes: expected one of"), ("names: yes", "names: expected true or false"),
        ("no_delivery_hours: -1", "no_delivery_hours: expected a whole number from 0"),
        ("quiet_hours: 22-7", "quiet_hours: expected two different times of day"),
        ("quiet_hours: 07:00-07:00", "quiet_hours: expected two different times of day"),
        ("quiet_hours: 22:00-24:00", "quiet_hours: expected two different times of day"), ("- names", "expected a table of keys"),
    ]) func mistakeIsNamedWithItsLine(line: String, words: String) {
        let problem = #expect(throws: Problem.self) { try load("# A comment.\n\(line)\n") }
        #expect(problem?.code == .invalidRequest)
        let next = problem?.next ?? ""
        #expect(next.hasPrefix("\(directory("notify.yaml")):2:") && next.contains(words), "\(next)")
    }

    @Test func allMistakesAreTold() {
        let problem = #expect(throws: Problem.self) { try load("names: 1\ndisk: 2\n") }
        #expect(problem?.next?.split(separator: "\n").count == 2)
    }

    @Test func fileIsInTheConfigurationFolder() {
        #expect(NotifySettings.path(environment: ["HOME": "/home/anna"]) == "/home/anna/.config/homing/notify.yaml")
        #expect(NotifySettings.path(environment: ["HOME": "/home/anna", "XDG_CONFIG_HOME": "/etc/x"]) == "/etc/x/homing/notify.yaml")
        #expect(
            NotifySettings.path(environment: ["HOME": "/home/anna", "XDG_CONFIG_HOME": "x"]) == "/home/anna/.config/homing/notify.yaml")
    }
}
