import ControlAPI
import Foundation
import Glibc
import Logging
import TestSupport
import Testing

@testable import ControlServer

@Suite struct AuditTests {
    private static let id = WireSamples.id

    @Test func logsChangingCallsButNotReads() async throws {
        let lines = LoggedLines()
        try await Served.with(FakeService(), log: lines.logger) { served in
            let client = served.client
            _ = try await client.call(Endpoints.status, NoInput())
            _ = try await client.call(Endpoints.entries, EntryQuery())
            _ = try await client.call(Endpoints.why, EntryReference(id: Self.id))
            _ = try await client.call(Endpoints.roster, RosterQuery(resource: "managed_users", ids: ["28"]))
            _ = try await client.call(Endpoints.signIn, SignIn(email: "ann@lab.test", password: "hunter2-secret"))
            _ = try await client.call(Endpoints.signOut, SignOut())
            _ = try await client.call(
                Endpoints.submit, Submission(route: "measurement", fields: ["user_id": "4711"], payload: Data(#"{"nose": 17.25}"#.utf8)))
            _ = try await client.call(Endpoints.retry, RetryRequest(id: Self.id))
            _ = try await client.call(Endpoints.discard, DiscardRequest(id: Self.id))
            _ = try await client.call(Endpoints.sync, SyncRequest(backend: "breathesafe"))
            _ = try await client.call(Endpoints.refreshRoster, RosterReference(resource: "managed_users"))
        }
        let made = lines.all.filter { $0.message == "Call completed" }
        #expect(
            made.map { $0.facts["call"] } == [
                "POST /v1/sessions", "DELETE /v1/sessions", "POST /v1/entries/{id}/retry", "DELETE /v1/entries/{id}",
                "POST /v1/sync", "POST /v1/roster/{resource}/refresh",
            ])
        #expect(
            made.map { $0.facts["target"] } == [
                "b", "b", Self.id, Self.id, "breathesafe", "managed_users",
            ])
        #expect(made.map { $0.facts["outcome"] } == ["201", "200", "200", "200", "200", "200"])
        #expect(made.allSatisfy { $0.level == .notice && $0.facts["uid"] == "\(geteuid())" && $0.facts["pid"] == "\(getpid())" })
        let everything = lines.all.map { "\($0)" }.joined()
        for secret in ["hunter2", "ann@", "17.25", "4711"] { #expect(!everything.contains(secret)) }
    }

    /// It leaves no event. For a new entry, see above.
    @Test func logsDuplicateSubmission() async throws {
        let lines = LoggedLines()
        try await Served.with(FakeService(isDuplicate: true), log: lines.logger) { served in
            let receipt = try await served.client.call(
                Endpoints.submit, Submission(route: "measurement", fields: ["user_id": "4711"], payload: Data(#"{"nose": 17.25}"#.utf8)))
            #expect(receipt.duplicate)
        }
        let made = lines.all.filter { $0.message == "Call completed" }
        #expect(made.map { $0.facts["call"] } == ["POST /v1/entries"])
        #expect(made.map { $0.facts["target"] } == [Self.id])
        #expect(made.map { $0.facts["outcome"] } == ["200"])
        let everything = lines.all.map { "\($0)" }.joined()
        for secret in ["17.25", "4711"] { #expect(!everything.contains(secret)) }
    }

    /// It is a read, but it reveals a payload.
    @Test func logsExportWithoutItsPayload() async throws {
        let lines = LoggedLines()
        try await Served.with(FakeService(), log: lines.logger) { served in
            let exported = try await served.client.call(Endpoints.export, EntryReference(id: "7"))
            #expect(exported.payload != nil)
        }
        let made = lines.all.filter { $0.message == "Call completed" }
        #expect(made.map { $0.facts["call"] } == ["GET /v1/entries/{id}/export"])
        #expect(made.map { $0.facts["target"] } == [Self.id])
        #expect(!lines.all.map { "\($0)" }.joined().contains("1.50"))
        let problem = Problem(.wrongState, status: 409, title: "Not in this state", detail: "This entry is delivered already.")
        try await Served.with(FakeService(error: problem), log: lines.logger) { served in
            await #expect(throws: problem) { try await served.client.call(Endpoints.export, EntryReference(id: Self.id)) }
        }
        #expect(lines.all.filter { $0.message == "Call failed" }.map { $0.facts["outcome"] } == ["409 wrong-state"])
    }

    @Test func logsBackup() async throws {
        let lines = LoggedLines()
        try await Served.with(FakeService(), log: lines.logger) { served in
            try await served.client.download(Endpoints.backup, NoInput()) { _ in }
        }
        #expect(lines.all.filter { $0.message == "Call completed" }.map { $0.facts["call"] } == ["GET /v1/backup"])
    }

    @Test func logsIDOfEntryNamedByNumber() async throws {
        let lines = LoggedLines()
        try await Served.with(FakeService(), log: lines.logger) { served in
            _ = try await served.client.call(Endpoints.retry, RetryRequest(id: "7"))
            _ = try await served.client.call(Endpoints.discard, DiscardRequest(id: "#7"))
        }
        #expect(lines.all.filter { $0.message == "Call completed" }.map { $0.facts["target"] } == [Self.id, Self.id])
    }

    @Test func logsTargetOfTheRequestIfTheResponseNamesNone() async throws {
        let lines = LoggedLines()
        try await Served.with(FakeService(), log: lines.logger) { served in
            _ = try await served.client.call(Endpoints.pause, PauseRequest())
            _ = try await served.client.call(Endpoints.resume, ResumeRequest(backend: "b"))
            _ = try await served.client.call(Endpoints.sync, SyncRequest())
            _ = try await served.client.call(Endpoints.discardFile, FileDiscardRequest(name: "a.json", reason: "a test"))
        }
        #expect(lines.all.filter { $0.message == "Call completed" }.map { $0.facts["target"] } == ["all", "b", "all", "a.json"])
    }

    @Test func logsFailedCallWithoutForgedLines() async throws {
        let problem = Problem(.wrongState, status: 409, title: "Not in this state", detail: "This entry is delivered already.")
        let lines = LoggedLines()
        try await Served.with(FakeService(error: problem), log: lines.logger) { served in
            for target in [Self.id, "#12", "x\n2026-01-01 notice: all is well"] {
                await #expect(throws: problem) { try await served.client.call(Endpoints.retry, RetryRequest(id: target)) }
            }
        }
        let failed = lines.all.filter { $0.message == "Call failed" }
        #expect(failed.map { $0.facts["outcome"] } == ["409 wrong-state", "409 wrong-state", "409 wrong-state"])
        #expect(failed.map { $0.facts["target"] } == [Self.id, "#12", "(no id or name)"])
    }

    @Test func logsAtMostTenRefusalsPerMinute() async throws {
        let lines = LoggedLines()
        let nobody = AccessPolicy(administrators: [], isOpenToAll: true)
        try await Served.with(FakeService(), policy: nobody, log: lines.logger) { served in
            for _ in 0..<50 {
                await #expect(throws: Problem.self) { try await served.client.call(Endpoints.sync, SyncRequest()) }
            }
        }
        let denied = lines.all.filter { $0.message == "Call denied" }
        #expect(denied.count == 10)
        #expect(denied.allSatisfy { $0.level == .warning && $0.facts["call"] == "POST /v1/sync" && $0.facts["uid"] == "\(geteuid())" })
    }

    @Test func countsOmittedLinesPerUserAndMinute() {
        let throttle = AuditThrottle()
        let start = ContinuousClock.now
        for _ in 0..<10 { #expect(throttle.allow(1000, at: start) == 0) }
        for _ in 0..<7 { #expect(throttle.allow(1000, at: start + .seconds(59)) == nil) }
        #expect(throttle.allow(1001, at: start + .seconds(59)) == 0)
        #expect(throttle.allow(1000, at: start + .seconds(60)) == 7)
        #expect(throttle.allow(1000, at: start + .seconds(60)) == 0)
    }
}
