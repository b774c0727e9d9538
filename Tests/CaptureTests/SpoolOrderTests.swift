import Foundation
import Glibc
import Outbox
import SyncModel
import TestSupport
import Testing
import Vault

@testable import Capture

/// Files are stored in the order of their capture times, not of their file times. See CaptureTime.
@Suite struct SpoolOrderTests {
    private static func capture(_ number: Int, at time: String) -> String {
        #"{"average_measurements":{"1-2":{"value":\#(number)}},"timestamp":\#(time)}"#
    }

    private static let base = 1_764_000_000

    @Test func storesFilesByTheirOwnTimestamps() async throws {
        let drop = try Drop()
        // The oldest capture has the newest file.
        for number in 1...150 {
            try drop.put(Self.capture(number, at: "\(Self.base + number).25"), "new/users/5/\(number).json", age: Double(number))
        }
        await drop.spool.sweep()
        #expect(try await drop.documents() == (1...150).map { Self.capture($0, at: "\(Self.base + $0).25") })
    }

    @Test func prefersTimestampOfMeasurementInAppFile() async throws {
        let drop = try Drop()
        func file(_ number: Int, own: String?, around: String?) -> String {
            let own = own.map { #","timestamp":\#($0)"# } ?? ""
            let around = around.map { #","timestamp":\#($0)"# } ?? ""
            return #"{"measurements":{"average_measurements":{"1-2":{"value":\#(number)}}\#(own)},"userId":5\#(around)}"#
        }
        try drop.put(file(3, own: "\(Self.base + 30)", around: "\(Self.base)"), "new/c.json", age: 30)
        try drop.put(file(2, own: nil, around: "\(Self.base + 20)"), "new/b.json", age: 20)
        try drop.put(file(1, own: "\(Self.base + 10)", around: nil), "new/a.json", age: 10)
        await drop.spool.sweep()
        let entries = try await drop.entries().sorted { $0.sequence < $1.sequence }
        #expect(entries.map { $0.mutation.capturedAt.timeIntervalSince1970 } == [10, 20, 30].map { Double(Self.base + $0) })
        #expect(entries.allSatisfy { $0.acceptedAt == drop.clock.now })
    }

    /// Times before 2000, in milliseconds, more than a day ahead, or not numbers.
    @Test(arguments: [
        "-1", "0", "946684799", "1765000000000", "1765090000", "1e308", "-1e308", "1E+300", "\"1764000000\"", "null", "true",
        "[1764000000]",
        "9223372036854775807", "18446744073709551616", "-9223372036854775808", "0.0000000000000000000000001", "\"Infinity\"", "\"NaN\"",
    ])
    func ignoresImplausibleTimestamp(time: String) async throws {
        let drop = try Drop()
        try drop.put(Self.capture(1, at: "\(Self.base)"), "new/users/5/z.json", age: 10)
        try drop.put(Self.capture(2, at: time), "new/users/5/a.json", age: 5)
        await drop.spool.sweep()
        let entries = try await drop.entries().sorted { $0.sequence < $1.sequence }
        let times = entries.map { $0.mutation.capturedAt.timeIntervalSince1970 }
        #expect(times == [Double(Self.base), drop.clock.now.timeIntervalSince1970])
    }

    @Test func storesLeftoversInTheSameOrder() async throws {
        var drop = try Drop()
        for number in 1...30 {
            try drop.put(Self.capture(number, at: "\(Self.base + number)"), "new/users/5/\(number).json", age: Double(number))
        }
        try drop.outbox.close()
        await drop.spool.sweep()
        #expect(try drop.names("taken").count == 30)
        drop.outbox = try Outbox(file: drop.directory("second.sqlite"), vault: .init(key: .init()), crashed: false, now: drop.clock.now)
        try drop.restart()
        await drop.spool.sweep()
        #expect(try await drop.documents() == (1...30).map { Self.capture($0, at: "\(Self.base + $0)") })
    }
}
