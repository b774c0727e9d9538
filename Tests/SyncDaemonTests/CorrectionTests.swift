import ControlAPI
import Foundation
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
            #expect(try await numbers(station).isEmpty)
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
}
