import ControlAPI
import Delivery
import Foundation
import SyncDaemon
import SyncModel
import TestSupport
import Testing

/// Submissions that replace earlier entries, and refusals of those that would be sent twice or in the wrong order.
@Suite struct CorrectionTests {
    private func id(_ number: Int) -> String { Samples.id(number).description }

    /// Signed in and paused, so that entries wait.
    private func paused(_ work: (DaemonStation) async throws -> Void) async throws {
        try await DaemonStation.with { station in
            try await station.running {
                _ = try await station.client.call(Endpoints.signIn, DaemonStation.manager)
                _ = try await station.client.call(Endpoints.pause, PauseRequest())
                try await work(station)
            }
        }
    }

    @discardableResult
    private func measure(_ station: DaemonStation, _ number: Int, replacing old: Int? = nil) async throws -> SubmissionReceipt {
        try await station.client.call(
            Endpoints.submit,
            ControlAPI.Submission(
                route: "measurement", id: id(number), supersedes: old.map(id), fields: ["user_id": "5"], payload: try station.capture()))
    }

    private func discard(_ station: DaemonStation, _ number: Int) async throws {
        _ = try await station.client.call(Endpoints.discard, DiscardRequest(id: id(number), grace: 0, reason: nil))
    }

    private func numbers(_ station: DaemonStation) async throws -> [String] {
        try await station.client.call(Endpoints.entries, EntryQuery()).entries.map(\.id)
    }

    @Test func submissionThatReplacesAnUnknownEntryIsRefused() async throws {
        try await paused { station in
            let problem = await #expect(throws: Problem.self) { try await measure(station, 2, replacing: 1) }
            #expect(problem?.code == .notFound && problem?.status == 404)
            #expect(problem?.detail == "This account has no entry \(id(1)) to replace. Nothing was stored.")
            let stored = try await numbers(station)
            #expect(stored.isEmpty)
        }
    }

    @Test func submissionThatReplacesAReplacedEntryNamesTheNewOne() async throws {
        try await paused { station in
            try await measure(station, 1)
            let first = try await measure(station, 2, replacing: 1)
            let problem = await #expect(throws: Problem.self) { try await measure(station, 3, replacing: 1) }
            #expect(problem?.code == .wrongState && problem?.supersededBy == id(2) && problem?.facts?.reason == "corrected")
            // Its answer may have been lost.
            let again = try await measure(station, 2, replacing: 1)
            #expect(again.duplicate && again.sequence == first.sequence)
            #expect(try await numbers(station) == [id(1), id(2)])
        }
    }

    @Test func submissionThatReplacesADiscardedEntryIsRefused() async throws {
        try await paused { station in
            try await measure(station, 1)
            try await discard(station, 1)
            let problem = await #expect(throws: Problem.self) { try await measure(station, 2, replacing: 1) }
            #expect(problem?.code == .wrongState && problem?.supersededBy == nil && problem?.facts?.reason == "isDiscarded")
            #expect(try await numbers(station) == [id(1)])
        }
    }

    @Test func submissionThatReplacesADeliveredEntryIsRefused() async throws {
        try await paused { station in
            try await measure(station, 1)
            _ = try await station.client.call(Endpoints.resume, ResumeRequest())
            try await station.delivered(id(1))
            let problem = await #expect(throws: Problem.self) { try await measure(station, 2, replacing: 1) }
            #expect(problem?.code == .wrongState && problem?.facts?.reason == "isDelivered")
            #expect(problem?.next?.contains("submit it without --supersedes") == true)
            #expect(try await numbers(station) == [id(1)])
        }
    }

    // MARK: Changes of one row, of which the last one wins

    private func change(
        _ station: DaemonStation, _ number: Int, _ route: String, _ fields: [String: String], _ values: String = #"{"notes":"n"}"#
    ) async throws {
        let payload = route == "delete_fit_test" ? nil : Data(values.utf8)
        let submission = ControlAPI.Submission(route: route, id: id(number), fields: fields, payload: payload)
        _ = try await station.client.call(Endpoints.submit, submission)
    }

    private func changes(_ station: DaemonStation, _ number: Int) async throws -> [String] {
        try await station.client.call(Endpoints.why, EntryReference(id: id(number))).changes ?? []
    }

    /// Also of a fit test, which is no row of the subject's list.
    @Test func olderChangeIsNotFixed() async throws {
        try await paused { station in
            let fitTest = ["user_id": "5", "fit_test_id": "17"]
            try await change(station, 1, "edit_fit_test", fitTest)
            #expect(try await changes(station, 1).contains("fix"))
            try await change(station, 2, "edit_fit_test", fitTest)
            #expect(try await changes(station, 1) == ["discard"])
            func fix(_ number: Int, as new: Int, user: String = "7") async throws {
                let request = FixRequest(id: id(number), newID: id(new), fields: ["user_id": user])
                _ = try await station.client.call(Endpoints.fix, request)
            }
            let older = await #expect(throws: Problem.self) { try await fix(1, as: 3) }
            #expect(older?.code == .wrongState && older?.facts?.reason == "hasNewer" && older?.facts?.entry == id(2))
            try await fix(2, as: 3)
            try await change(station, 4, "delete_fit_test", ["fit_test_id": "17"])
            let deleted = await #expect(throws: Problem.self) { try await fix(3, as: 5, user: "8") }
            #expect(deleted?.facts?.reason == "hasNewer" && deleted?.facts?.entry == id(4))
        }
    }

    /// The change of another person is in another lane, where nothing is newer.
    @Test func olderChangeOfAWrongPersonIsFixed() async throws {
        try await DaemonStation.with { station in
            var configuration = station.configuration
            // It is not sent again meanwhile.
            (configuration.delivery.breaker.first, configuration.delivery.breaker.ceiling) = (600, 600)
            let daemon = try await Daemon(configuration: configuration, environment: [:], log: .silent)
            try await DaemonStation.running(daemon) {
                let client = station.client
                _ = try await client.call(Endpoints.signIn, DaemonStation.manager)
                for number in 1...2 { try await change(station, number, "profile", ["user_id": "99998"], #"{"first_name":"Anna"}"#) }
                try await station.event { $0.kind == "released" && $0.entry == id(1) && $0.detail["status"] == "404" }
                #expect(try await changes(station, 1).contains("fix"))
                let why = try await client.call(Endpoints.why, EntryReference(id: id(1)))
                #expect(why.next?.contains("homing fix \(id(1)) --user USER") == true, "\(why)")
                _ = try await client.call(Endpoints.fix, FixRequest(id: id(1), newID: id(3), fields: ["user_id": "5"]))
                #expect(try await numbers(station) == [id(1), id(2), id(3)])
            }
        }
    }

    /// One that still waits is sent after the older change anyway.
    @Test func namesTheSentChangeThatARestoredOneWillOverwrite() async throws {
        try await paused { station in
            let client = station.client
            for number in 1...2 { try await change(station, number, "profile", ["user_id": "5"], #"{"first_name":"Anna"}"#) }
            let discard = DiscardRequest(id: id(1), grace: 600)
            _ = try await client.call(Endpoints.discard, discard)
            #expect(try await client.call(Endpoints.restore, EntryReference(id: id(1))).overwrites == nil)
            _ = try await client.call(Endpoints.discard, discard)
            _ = try await client.call(Endpoints.resume, ResumeRequest())
            try await station.delivered(id(2))
            _ = try await client.call(Endpoints.pause, PauseRequest())
            #expect(try await client.call(Endpoints.discard, discard).overwrites == nil)
            #expect(try await client.call(Endpoints.restore, EntryReference(id: id(1))).overwrites == id(2))
            #expect(try await client.call(Endpoints.retry, RetryRequest(id: id(1))).overwrites == id(2))
            // One that still waits does not change that: it may have other values.
            try await change(station, 3, "profile", ["user_id": "5"], #"{"last_name":"Example"}"#)
            #expect(try await client.call(Endpoints.retry, RetryRequest(id: id(1))).overwrites == id(2))
        }
    }

    @Test func olderCaptureIsReplaced() async throws {
        try await paused { station in
            for number in 1...2 { try await measure(station, number) }
            #expect(try await measure(station, 3, replacing: 1).sequence == 3)
        }
    }
}
