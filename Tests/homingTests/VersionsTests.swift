import ControlAPI
import TestSupport
import Testing

@testable import homing

@Suite struct VersionsTests {
    @Test func stoppedDaemonIsNoError() async throws {
        let versions = try await Versions(client: "1") { () async throws(Problem) in
            throw Problem(.daemonNotRunning, status: 503, title: "", detail: "")
        }
        #expect(versions.text == "homing 1\nhomingd is not running")
    }

    @Test func otherProblemsAreThrown() async {
        await #expect(throws: Problem.self) {
            try await Versions(client: "1") { () async throws(Problem) in throw Problem(.notPermitted, status: 403, title: "", detail: "") }
        }
    }

    @Test func showsTheVersionOfThePackage() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("1+clinic2\n", to: "package-version")
        let package = PackageVersion.read(directory("package-version"))
        #expect(try await Versions(client: "1", package: package) { () async throws(Problem) in "1" }.text.hasSuffix("\npackage 1+clinic2"))
        #expect(PackageVersion.read(directory("missing")) == nil)
    }

    @Test func showsBothVersions() async throws {
        #expect(try await Versions(client: "1") { () async throws(Problem) in "2" }.text == "homing 1\nhomingd 2")
    }
}
