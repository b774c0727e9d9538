import ControlAPI
import Delivery
import Foundation
import Glibc
import TestSupport
import Testing

@testable import SyncDaemon

@Suite struct EnrollerTests {
    private let station: FakeStation

    private static let whole = """
        backends:
          breathesafe:
            base_url: https://staging.breathesafe.test
            email: clinic@example.org
            password: "s3cret"
            remember: true
        groups:
          operate: [ann]
          observe: [prometheus]
        settings:
          delivery: {in_flight: 2}
        """

    init() throws {
        station = try FakeStation()
        try station.write(Self.whole)
    }

    private func message() async -> String {
        do throws(StartError) { return "no error: \(try await station.enroll())" } catch { return error.description }
    }

    @Test func writesFilesStartsServiceAddsMembersAndSignsIn() async throws {
        let lines = try await station.enroll()
        let etc = station.directory("etc")
        #expect(
            lines == [
                "changed: wrote \(etc)/backends/breathesafe.yaml", "changed: wrote \(etc)/homing.yaml.d/50-enrolled.yaml",
                "changed: enabled homingd.service", "changed: started homingd.service",
                "changed: added prometheus to adm; prometheus must log in to the system again",
                "changed: added ann to staff; ann must log in to the system again",
                "changed: signed in clinic@example.org at breathesafe",
                "changed: deleted \(station.directory("station.yaml")), which has a password",
            ])
        let files = try station.files()
        #expect(files["backends/breathesafe.yaml"]?.contains("\nbase_url: https://staging.breathesafe.test\n") == true)
        #expect(files["homing.yaml.d/50-enrolled.yaml"]?.hasSuffix("\ndelivery:\n  in_flight: 2\n") == true)
        let requests = station.read { $0.requests }
        #expect(requests.map(\.email) == ["clinic@example.org"] && requests.map(\.password) == ["s3cret"])
        #expect(requests.map(\.remember) == [true])
        #expect(!FileManager.default.fileExists(atPath: station.directory("station.yaml")))
        let configuration = try Configuration.load(file: "\(etc)/homing.yaml", environment: [:])
        #expect(configuration.delivery.inFlight == 2)
        var facts = stat()
        #expect(stat("\(etc)/homing.yaml.d/50-enrolled.yaml", &facts) == 0 && facts.st_mode & 0o777 == 0o644)
        #expect(stat("\(etc)/homing.yaml.d", &facts) == 0 && facts.st_mode & 0o777 == 0o755)
    }

    @Test func repetitionChangesNothing() async throws {
        _ = try await station.enroll()
        let (files, commands) = (try station.files(), station.read { $0.commands })
        try station.write(Self.whole.replacing("password: \"s3cret\"", with: "password_file: /nowhere"))
        #expect(try await station.enroll() == ["nothing to change"])
        #expect(try station.files() == files)
        #expect(station.read { $0.commands } == commands && station.read { $0.requests.count } == 1)
    }

    @Test func stoppedServiceOfAnEnrolledStationNeedsNoPassword() async throws {
        _ = try await station.enroll()
        try station.write(Self.whole.replacing("password: \"s3cret\"", with: "password_file: /nowhere"))
        station.change { $0.isActive = false }
        #expect(try await station.enroll() == ["changed: started homingd.service"])
        #expect(station.read { $0.requests.count } == 1)
    }

    @Test func dryRunShowsAndChangesNothing() async throws {
        let before = try station.files()
        let lines = try await station.enroll(isDryRun: true)
        #expect(lines.count == 8 && lines.allSatisfy { $0.hasPrefix("would change: ") }, "\(lines)")
        #expect(try station.files() == before)
        #expect(station.read { $0.commands }.isEmpty && station.read { $0.requests }.isEmpty)
        #expect(FileManager.default.fileExists(atPath: station.directory("station.yaml")))
    }

    @Test func runningDaemonIsRestartedOnlyForNewFiles() async throws {
        station.change { ($0.isEnabled, $0.isActive) = (true, true) }
        #expect(try await station.enroll().contains("changed: restarted homingd.service"))
        try station.write(Self.whole)
        #expect(try await !station.enroll().contains("changed: restarted homingd.service"))
    }

    /// The run before was interrupted after it wrote the files.
    @Test func daemonWithoutTheBackendIsRestarted() async throws {
        _ = try await station.enroll()
        try station.write(Self.whole)
        station.change { $0.known = [:] }
        #expect(try await station.enroll().first == "changed: restarted homingd.service")
    }

    /// The daemon still has the former address.
    @Test func failedRestartIsRepeatedBeforeThePasswordIsSent() async throws {
        station.change {
            ($0.isEnabled, $0.isActive) = (true, true)
            $0.known = ["breathesafe": "https://www.breathesafe.xyz"]
            $0.failing = "systemctl restart homingd.service"
        }
        for _ in 1...2 {
            let error = await message()
            #expect(error.contains("to succeed: /usr/bin/systemctl restart homingd.service"), "\(error)")
            #expect(station.read { $0.requests }.isEmpty)
        }
        station.change { $0.failing = nil }
        let lines = try await station.enroll()
        #expect(lines.first == "changed: restarted homingd.service")
        #expect(lines.filter { $0.contains("restarted") }.count == 1)
        #expect(station.read { $0.known } == ["breathesafe": "https://staging.breathesafe.test"])
        #expect(station.read { $0.requests.count } == 1)
    }

    @Test func failedRestartIsRepeatedForSettingsToo() async throws {
        try station.write("backends: {breathesafe: {}}\nsettings: {delivery: {in_flight: 2}}\n")
        station.change { ($0.isEnabled, $0.isActive, $0.failing) = (true, true, "systemctl restart homingd.service") }
        #expect(await message().contains("Already done: wrote "))
        station.change { $0.failing = nil }
        #expect(try await station.enroll(isDryRun: true) == ["would change: restarted homingd.service"])
        #expect(try await station.enroll() == ["changed: restarted homingd.service"])
        #expect(try await station.enroll() == ["nothing to change"])
    }

    @Test func daemonWithAnotherAddressGetsNoPassword() async throws {
        station.change {
            ($0.isEnabled, $0.isActive, $0.isElsewhere) = (true, true, true)
            $0.known = ["breathesafe": "https://www.breathesafe.xyz"]
        }
        let error = await message()
        let words = "breathesafe at https://staging.breathesafe.test, but it has https://www.breathesafe.xyz. No password was sent."
        #expect(error.contains(words), "\(error)")
        #expect(station.read { $0.requests }.isEmpty)
        #expect(FileManager.default.fileExists(atPath: station.directory("station.yaml")))
    }

    @Test func keepsAProfileWithTheAddressAndReplacesTheUneditedOne() async throws {
        let shipped = try String(
            contentsOfFile: ConfigurationTests.shipped.replacing("homing.yaml", with: "backends/breathesafe.yaml"), encoding: .utf8)
        let place = station.directory("etc/backends/breathesafe.yaml")
        try FileManager.default.createDirectory(atPath: station.directory("etc/backends"), withIntermediateDirectories: true)
        let edited = "# ours\n" + shipped
        try station.directory.write(edited, to: "etc/backends/breathesafe.yaml")
        let error = await message()
        let words = "\(place): base_url: expected https://staging.breathesafe.test, or the profile as it was installed"
        #expect(error.contains(words), "\(error)")
        #expect(error.hasSuffix("\nNothing was changed."))
        #expect(try station.files()["backends/breathesafe.yaml"] == edited)
        let right = edited.replacing("https://www.breathesafe.xyz", with: "https://staging.breathesafe.test")
        try station.directory.write(right, to: "etc/backends/breathesafe.yaml")
        #expect(try await !station.enroll(isDryRun: true).contains("would change: wrote \(place)"))
        try station.directory.write(shipped, to: "etc/backends/breathesafe.yaml")
        #expect(try await station.enroll().contains("changed: wrote \(place)"))
    }

    @Test func correctedAddressReplacesTheProfileOfAnEnrolmentUnlessItWasEdited() async throws {
        let mistyped = Self.whole.replacing("staging.", with: "stagign.")
        try station.write(mistyped)
        station.change {
            $0.problem = Problem(.backendUnreachable, status: 503, title: "Unreachable", detail: "breathesafe cannot be reached.")
        }
        #expect(await message().contains("Expected to sign in clinic@example.org"))
        station.change { $0.problem = nil }
        try station.write(Self.whole)
        let lines = try await station.enroll()
        let place = station.directory("etc/backends/breathesafe.yaml")
        #expect(lines.prefix(2) == ["changed: wrote \(place)", "changed: restarted homingd.service"], "\(lines)")
        #expect(station.read { $0.known } == ["breathesafe": "https://staging.breathesafe.test"])
        let edited = try String(contentsOfFile: place, encoding: .utf8) + "# ours\n"
        try station.directory.write(edited, to: "etc/backends/breathesafe.yaml")
        try station.write(mistyped)
        let error = await message()
        #expect(error.contains("to keep the edited profile, change base_url in \(place), found https://staging."), "\(error)")
        #expect(try station.files()["backends/breathesafe.yaml"] == edited)
    }

    /// An interrupted run may have left the modes.
    @Test func filesThatTheServiceCannotReadAreWrittenAgain() async throws {
        _ = try await station.enroll()
        let files = ["backends/breathesafe.yaml", "homing.yaml.d/50-enrolled.yaml"].map { station.directory("etc/\($0)") }
        for file in files { chmod(file, 0o600) }
        try station.write(Self.whole)
        let lines = try await station.enroll()
        #expect(lines.prefix(3) == ["changed: wrote \(files[0])", "changed: wrote \(files[1])", "changed: restarted homingd.service"])
        for file in files {
            var facts = stat()
            #expect(stat(file, &facts) == 0 && facts.st_mode & 0o777 == 0o644)
        }
    }

    @Test func editedProfileThatTheServiceCannotReadIsAMistake() async throws {
        _ = try await station.enroll()
        let place = station.directory("etc/backends/breathesafe.yaml")
        let edited = try "# ours\n" + String(contentsOfFile: place, encoding: .utf8)
        try station.write(edited, to: "etc/backends/breathesafe.yaml")
        try station.write(Self.whole)
        let error = await message()
        #expect(error.contains("\(place): expected a file that the service can read; run: chmod 644 \(place), found mode 600"), "\(error)")
        #expect(try station.files()["backends/breathesafe.yaml"] == edited)
    }

    @Test func neverReplacesOtherSettings() async throws {
        _ = try await station.enroll()
        try station.write(Self.whole.replacing("in_flight: 2", with: "in_flight: 3"))
        let error = await message()
        #expect(error.contains("50-enrolled.yaml: expected the settings of \(station.directory("station.yaml"))"), "\(error)")
        #expect(try station.files()["homing.yaml.d/50-enrolled.yaml"]?.contains("in_flight: 2") == true)
    }

    @Test func presetOfAProfileComesWithIt() async throws {
        try station.write("backends: {aiphoto: {}}\nsettings: {spool: {enabled: false}}\n")
        let lines = try await station.enroll()
        #expect(lines.prefix(2).map { URL(fileURLWithPath: $0).lastPathComponent } == ["firebase.yaml", "aiphoto.yaml"])
        #expect(FileManager.default.fileExists(atPath: station.directory("station.yaml")), "it has no password")
    }
}
