import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

/// Real disks that are full: small ones in memory, mounted in a namespace of the daemon's own.
@Suite struct FullDiskTests {
    /// Makes the state directory a file system of its own before homingd starts on it.
    private static func disk(_ station: TestStation, _ options: String) throws -> [String] {
        let state = station.directory("state")
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let mount = "mount -t tmpfs -o \(options) tmpfs \"$0\" && exec \"$@\""
        return ["unshare", "--user", "--map-root-user", "--mount", "/bin/sh", "-c", mount, state]
    }

    /// The state directory as the daemon sees it.
    private static func state(_ process: Process, _ station: TestStation) -> String {
        "/proc/\(process.processIdentifier)/root\(station.directory("state"))"
    }

    /// Writes until not a byte more fits; the file.
    private static func fill(_ folder: String) throws -> String {
        let path = folder + "/somebody-elses"
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        let block = [UInt8](repeating: 7, count: 4096)
        while write(file, block, block.count) > 0 {}
        return path
    }

    private static func large(_ number: Int) -> Data {
        let words = String(repeating: "x", count: 20_000)
        return Data(#"{"timestamp":\#(number),"average_measurements":{"14-818":{"value":17.25,"description":"\#(words)"}}}"#.utf8)
    }

    /// What was accepted goes up on a disk with no byte left, new submissions are refused, and both end by themselves.
    @Test(.timeLimit(.minutes(2)))
    func aFullDiskRefusesWhatIsNewAndDeliversWhatItHas() async throws {
        let station = try await TestStation()
        let process = try await station.start(through: Self.disk(station, "size=32m"))
        try await station.login()
        await station.sandbox.down()
        for number in 1...40 { try await station.submit(user: 5 + number % 4, id: number) }

        let state = Self.state(process, station)
        let filler = try Self.fill(state)
        // Until the log and the free pages of the file are used up too.
        var number = 1000
        var refusal: Problem?
        while refusal == nil, number < 4000 {
            number += 1
            do {
                _ = try await station.client.call(
                    Endpoints.submit,
                    ControlAPI.Submission(
                        backend: "breathesafe", route: "measurement", id: Samples.id(number).description, fields: ["user_id": "5"],
                        payload: Self.large(number)))
            } catch {
                refusal = error
            }
        }
        #expect(refusal?.status == 507, "\(String(describing: refusal))")
        #expect(refusal?.title == "The disk is full")
        let accepted = 40 + number - 1001
        let full = try await station.homing("status", "--check")
        #expect(full.code == 6 && full.text.contains("The disk is full"), "\(full)")

        try await station.sandbox.up()
        try await station.homing("sync")
        try await station.event("delivered", count: accepted)
        #expect(station.sandbox.ledger.entries.count == accepted)
        #expect(station.sandbox.ledger.duplicates.isEmpty)
        let still = try await station.homing("status", "--check")
        #expect(still.code == 6, "\(still)")

        try FileManager.default.removeItem(atPath: filler)
        try await station.submit(id: 9000)
        try await station.event("delivered", count: accepted + 1)
        let well = try await station.homing("status", "--check")
        #expect(well.code == 0, "\(well)")
        try await station.end(SIGTERM)
    }
}
