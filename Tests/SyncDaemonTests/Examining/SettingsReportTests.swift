import ControlAPI
import Foundation
import TestSupport
import Testing

@testable import SyncDaemon

@Suite struct SettingsReportTests {
    private func report(_ yaml: String, environment: [String: String] = [:]) throws -> SettingsReport {
        let directory = try TemporaryDirectory()
        try directory.write(yaml, to: "homing.yaml")
        return SettingsReport(try Configuration.load(file: directory("homing.yaml"), environment: environment), [])
    }

    @Test func timesAreInMilliseconds() throws {
        let report = try report(
            """
            delivery: {in_flight: 3, attempts: 2, first_delay: 0.05, longest_delay: 60, lookup_after: 2, first_pause: 1, longest_pause: 9}
            timeouts: {connect: 7, request: 8, exchange: 90}
            outbox: {max_bytes: 123456789}
            """)
        #expect([report.inFlight, report.attempts] == [3, 2] as [Int])
        #expect([report.firstDelay, report.longestDelay, report.lookupAfter] == [50, 60_000, 2000] as [Int])
        #expect([report.firstPause, report.longestPause] == [1000, 9000] as [Int])
        #expect([report.connectTimeout, report.requestTimeout, report.exchangeTimeout] == [7000, 8000, 90_000] as [Int])
        #expect(report.maxBytes == 123_456_789 && report.keepDelivered == 30 * 86_400_000 && report.dropFolder)
    }

    @Test func proxyIsReportedWithoutItsAddress() throws {
        let report = try report(
            "spool: {enabled: false}\n",
            environment: ["https_proxy": "http://anna:hunter2@proxy.test:3128", "no_proxy": "a.test,b.test"])
        #expect(report.proxy && report.proxyExceptions == 2 && !report.dropFolder && !report.caFile)
        let text = String(decoding: JSONCoding.encoded(report), as: UTF8.self)
        #expect(!text.contains("test") && !text.contains("hunter2"))
    }
}
