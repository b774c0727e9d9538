import ControlAPI
import Foundation
import StationSupport
import SyncModel
import TestSupport
import Testing

/// Dropped files with unusual times, and capture times. See CaptureTime.
@Suite struct MetadataTests {
    /// `touch -d 2300-01-01`, and others beyond 64-bit nanoseconds.
    @Test(arguments: [10_413_792_000, 253_402_300_800, -62_135_596_800])
    func deliversFilesWithAnyModificationTime(seconds: Int) async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        let folder = station.directory("state/spool/new/users/5")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var count = 0
        func drop() throws {
            count += 1
            let draft = station.directory("dropping")
            try TestStation.measurement(count).write(to: URL(fileURLWithPath: draft))
            try #require(setTimes(of: draft, accessed: seconds, modified: seconds))
            try FileManager.default.moveItem(atPath: draft, toPath: "\(folder)/\(count).json")
            try #require(setTimes(of: folder, accessed: seconds, modified: seconds))
        }
        try drop()
        try await station.event("delivered")
        try await station.end(SIGKILL)
        // The daemon orders these two by those times.
        for _ in 1...2 { try drop() }
        try await station.start()
        try await station.event("delivered", count: 3)
        #expect(try await station.status().spool?.refused == 0)
        try await station.end(SIGTERM)
    }

    @Test func submissionSetsTheCaptureTime() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        func submit(_ number: Int, _ captured: Date?) async throws -> Date {
            _ = try await station.client.call(
                Endpoints.submit,
                Submission(
                    route: "measurement", id: Samples.id(number).description, fields: ["user_id": "5"],
                    payload: TestStation.measurement(number), capturedAt: captured))
            return try await station.entry(number).capturedAt
        }
        let then = Date(timeIntervalSince1970: 1_700_000_000.5)
        #expect(try await submit(1, then) == then)
        let first = try await station.entry(1)
        #expect(first.acceptedAt > then)
        // Implausible times fall back to the acceptance time.
        for (number, date) in [(2, Date(timeIntervalSince1970: 0)), (3, Date(timeIntervalSinceNow: 2 * 86_400)), (4, nil)] {
            let captured = try await submit(number, date)
            #expect(captured == (try await station.entry(number).acceptedAt))
        }
        try await station.event("delivered", count: 4)
        let receipt = try await station.client.call(Endpoints.receipt, EntryReference(id: Samples.id(1).description))
        #expect(receipt.capturedAt == then && receipt.acceptedAt == first.acceptedAt)
        try station.directory.write(
            #"{"timestamp":1700000001,"average_measurements":{"14-818":{"value":17.25,"description":"a"}}}"#, to: "a.json")
        #expect(try await station.homing("submit", station.directory("a.json"), "--user", "5").code == 0)
        #expect(
            try await station.homing("submit", station.directory("a.json"), "--user", "5", "--captured-at", "2023-01-02T03:04:05Z").code
                == 0)
        let newest = try await station.entries().sorted { $0.sequence < $1.sequence }.suffix(2)
        #expect(newest.map { $0.capturedAt.timeIntervalSince1970 } == [1_700_000_001, 1_672_628_645])
        try await station.end(SIGTERM)
    }
}
