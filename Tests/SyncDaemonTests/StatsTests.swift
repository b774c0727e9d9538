import ControlAPI
import Foundation
import TestSupport
import Testing

@testable import SyncDaemon

@Suite struct StatsTests {
    @Test func figuresAndTrailNameAccountsAndUsers() async throws {
        try await DaemonStation.with { station in
            try await station.running {
                _ = try await station.client.call(Endpoints.signIn, DaemonStation.manager)
                try await station.delivered(try await station.submit().id)
                _ = try await station.client.call(Endpoints.signOut, SignOut())

                let stats = try await station.client.call(Endpoints.stats, StatsQuery())
                let account = try #require(stats.accounts.first)
                #expect(stats.accounts.count == 1 && account.email == "manager@lab.test" && account.backend == "breathesafe")
                #expect(account.captured == 1 && account.delivered == 1 && account.refused.isEmpty)
                #expect(account.signIns == 1 && account.signOuts == 1 && account.medianDelay != nil)
                #expect(stats.days.reduce(0) { $0 + $1.delivered } == 1)
                #expect(stats.hours.count == 48 && stats.hours.reduce(0) { $0 + $1.captured } == 1)
                #expect(stats.hours.reduce(0) { $0 + $1.delivered } == 1 && stats.hours.contains { $0.longestWait != nil })
                #expect(zip(stats.hours, stats.hours.dropFirst()).allSatisfy { $1.hour.timeIntervalSince($0.hour) == 3600 })

                let trail = try await station.client.call(Endpoints.audit, AuditQuery(kind: "sign-out"))
                let record = try #require(trail.records.first)
                #expect(trail.records.count == 1 && record.event == "signedOut" && record.email == "manager@lab.test")
                #expect(record.uid == Int(getuid()) && record.user != nil && trail.keptSince == nil)
                #expect(try await station.client.call(Endpoints.audit, AuditQuery()).records.map(\.kind) == ["sign-in", "sign-out"])
            }
        }
    }

    @Test func hoursAreThoseOfThePeriod() async throws {
        try await DaemonStation.with { station in
            try await station.running {
                let now = Date()
                let today = try await station.client.call(Endpoints.stats, StatsQuery(since: now.addingTimeInterval(-1)))
                #expect((1...25).contains(today.hours.count) && today.hours.first?.hour == today.since)
                let past = StatsQuery(since: now.addingTimeInterval(-9 * 86_400), until: now.addingTimeInterval(-4 * 86_400))
                #expect(try await station.client.call(Endpoints.stats, past).hours.isEmpty)
            }
        }
    }

    @Test func hoursOfWhichEventsAreRemovedAreLeftOut() async throws {
        try await DaemonStation.with { station in
            var configuration = station.configuration
            configuration.keepDelivered = 7200
            let daemon = try await Daemon(configuration: configuration, environment: [:], log: .silent)
            try await DaemonStation.running(daemon) {
                let stats = try await station.client.call(Endpoints.stats, StatsQuery())
                #expect(stats.hours.count == 2)
            }
        }
    }

    @Test func endBeforeTheBeginIsRefused() async throws {
        try await DaemonStation.with { station in
            try await station.running {
                let query = StatsQuery(since: Date(timeIntervalSince1970: 1_765_000_000), until: Date(timeIntervalSince1970: 1_764_000_000))
                let problem = await #expect(throws: Problem.self) { try await station.client.call(Endpoints.stats, query) }
                #expect(problem?.code == .invalidRequest)
                let unknown = await #expect(throws: Problem.self) {
                    try await station.client.call(Endpoints.audit, AuditQuery(backend: "lost"))
                }
                #expect(unknown?.status == 404)
            }
        }
    }
}
