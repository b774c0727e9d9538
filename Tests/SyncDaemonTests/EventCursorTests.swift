import ControlAPI
import ControlServer
import Foundation
import Sandbox
import SyncModel
import TestSupport
import Testing
import Yams

@testable import SyncDaemon

@Suite struct EventCursorTests {
    @Test(arguments: [(0, 0, 0), (0, 0, 7), (41, 41, 50), (50, 41, 50)] as [(Int64, Int64, Int64)])
    func acceptsCursorsBetweenOldestAndNewest(since: Int64, oldest: Int64, newest: Int64) {
        #expect(throws: Never.self) { try ControlHandler.check(since, oldest: oldest, newest: newest) }
    }

    @Test(arguments: [0, 40] as [Int64]) func prunedCursorIsRefusedAsGone(since: Int64) {
        #expect {
            try ControlHandler.check(since, oldest: 41, newest: 50)
        } throws: { error in
            let problem = error as? Problem
            return problem?.status == 410 && problem?.code == .eventsPruned && problem?.oldest == 41
                && problem?.detail.contains("up to the cursor 41 are no longer kept") == true && problem?.next?.contains("41") == true
        }
    }

    @Test func futureCursorIsRefused() {
        #expect {
            try ControlHandler.check(51, oldest: 41, newest: 50)
        } throws: { error in
            let problem = error as? Problem
            return problem?.status == 400 && problem?.newest == 50
                && problem?.detail == "The cursor 51 is in the future: the newest event has the cursor 50."
        }
    }

    @Test func prunedErrorNamesCursorToContinueFrom() async throws {
        try await DaemonStation.with { station in
            try await station.running {
                _ = try await station.client.call(Endpoints.signIn, DaemonStation.manager)
                _ = try await station.client.call(Endpoints.signOut, SignOut())
            }
            try await station.pruneEvents()
            try await station.running {
                let client = station.client
                let problem = await #expect(throws: Problem.self) { try await client.events(EventQuery(since: 0)) { _ in true } }
                let oldest = try #require(problem?.oldest)
                #expect(oldest > 0)
                var cursors: [Int64] = []
                try await client.events(EventQuery(since: oldest)) { event in
                    cursors.append(event.cursor)
                    return true
                }
                #expect(cursors.first == oldest + 1)
                #expect(cursors == Array(cursors[0]...cursors[0] + Int64(cursors.count) - 1))
                let future = await #expect(throws: Problem.self) {
                    try await client.events(EventQuery(since: 1_000_000, follow: true)) { _ in true }
                }
                #expect(future?.code == .invalidRequest)
                let newest = try #require(future?.newest)
                #expect(newest >= cursors[0])
            }
        }
    }

    @Test func eventsNameTheCaller() async throws {
        try await DaemonStation.with { station in
            try await station.running {
                let client = station.client
                _ = try await client.call(Endpoints.signIn, DaemonStation.manager)
                await station.sandbox.down()
                let receipt = try await station.submit()
                try await station.event { $0.kind == "released" }
                _ = try await client.call(Endpoints.retry, RetryRequest(id: receipt.id))
                let sync = try await client.call(Endpoints.sync, SyncRequest())
                try await discard(receipt.id, client)
                _ = try await client.call(Endpoints.signOut, SignOut())
                let by = "uid \(geteuid()), pid \(getpid())"
                for kind in ["signedIn", "captured", "retried", "synced", "discarded", "signedOut"] {
                    let event = try await station.event { $0.kind == kind }
                    #expect(event?.detail["by"] == by, "\(kind)")
                    if kind == "synced" { #expect(try #require(event).cursor > sync.cursor) }
                }
            }
        }
    }

    /// An entry cannot be discarded during an attempt.
    private func discard(_ id: String, _ client: ControlClient) async throws {
        while true {
            do throws(Problem) {
                _ = try await client.call(Endpoints.discard, DiscardRequest(id: id))
                return
            } catch  where error.code == .wrongState {
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    @Test func interfaceDescriptionListsEveryEventKind() throws {
        let root = try #require(try compose(yaml: String(decoding: InterfaceDescription.yaml, as: UTF8.self)))
        let kind = root["components"]?["schemas"]?["Event"]?["properties"]?["kind"]?["x-extensible-enum"]
        #expect((kind?.sequence ?? []).compactMap(\.string).sorted() == SyncEvent.Kind.allCases.map(\.rawValue).sorted())
    }

    @Test func interfaceDescriptionListsEveryHoldReason() throws {
        let root = try #require(try compose(yaml: String(decoding: InterfaceDescription.yaml, as: UTF8.self)))
        let reason = root["components"]?["schemas"]?["EntrySummary"]?["properties"]?["holdReason"]?["x-extensible-enum"]
        #expect((reason?.sequence ?? []).compactMap(\.string).sorted() == HoldReason.allCases.map(\.rawValue).sorted())
    }
}
