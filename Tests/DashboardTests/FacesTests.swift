import ControlAPI
import Foundation
import HTTPTypes
import Testing

@testable import Dashboard

/// Which payloads the overlay of a person reads.
@Suite(.timeLimit(.minutes(10))) struct FacesTests {
    private let daemon = FakeDaemon()
    private static let payload = """
        {"landmark_coordinates": {"14": {"x": 0, "y": 1, "z": 2}, "2": {"x": 3, "y": -4, "z": 5}},
        "measurement_pairs": [{"from": 14, "to": 2}]}
        """

    private func entry(_ number: Int, _ state: String = "pending", hold: String? = nil, account: String = "1") -> EntrySummary {
        var entry = Sample(text: "breathesafe").entry(state, hold: hold, id: "entry-\(number)")
        entry.account = account
        entry.capturedAt = Sample.now.addingTimeInterval(TimeInterval(number))
        return entry
    }

    private func page(_ entries: [EntrySummary], total: Int? = nil) async throws -> String {
        var source = ""
        try await daemon.serve { call in
            if call.hasPrefix("GET /v1/entries?") {
                let own = entries.filter { call.contains("state=\($0.state)") }
                return EntryPage(entries: own, next: nil, total: own.isEmpty ? nil : total)
            }
            guard let entry = entries.first(where: { call == "GET /v1/entries/\($0.id)/export" }) else { return nil }
            return ExportedEntry(entry: entry, fields: [:], payload: entry.route == "fit_test" ? "{}" : Self.payload)
        } _: { client in
            let path = "/place/people/faces?backend=breathesafe&user=5"
            let visit = Visit(HTTPRequest(method: .get, scheme: "http", authority: "", path: path))
            source = try #require(try await Reading(client: client, desk: Sample.desk()).page(visit)).body.source
        }
        return source
    }

    private var exported: Set<String> { Set(daemon.calls.filter { $0.hasSuffix("/export") }) }

    @Test func readsUndeliveredCapturesOfTheNewestOnesAccount() async throws {
        let entries = [
            entry(1), entry(2, "held", hold: "forbidden"), entry(3, "dead"), entry(4, "held", hold: "discarding"),
            entry(5, "held", hold: "unreadable"), entry(0, account: "2"),
        ]
        let page = try await page(entries)
        #expect(exported == Set([1, 2, 3].map { "GET /v1/entries/entry-\($0)/export" }))
        #expect(page.contains("1 older capture, or capture of another account, is not shown."))
        let order = page.matches(of: #/entry/(entry-\d)"/#).map { String($0.output.1) }
        #expect(order == ["entry-3", "entry-2", "entry-1"])
    }

    @Test func readsTheTwelveNewest() async throws {
        let page = try await page((1...20).map { entry($0) })
        #expect(exported == Set((9...20).map { "GET /v1/entries/entry-\($0)/export" }))
        #expect(page.contains("8 older captures, or captures of another account, are not shown."))
    }

    @Test func endsWithARouteWhosePayloadsHaveNoFaces() async throws {
        let fitTests = (10...30).map { number in
            var entry = entry(number)
            (entry.route, entry.title) = ("fit_test", nil)
            return entry
        }
        let page = try await page(fitTests + [entry(1)])
        #expect(exported.count == 4 && exported.contains("GET /v1/entries/entry-1/export") && page.contains("/entry/entry-1\""))
        #expect(!page.contains("not shown"))
    }

    @Test func saysThatOlderEntriesWereNotLookedAt() async throws {
        let page = try await page([entry(1), entry(2)], total: 7)
        #expect(page.contains("Homing looked only at the newest 100 entries in each state, and not at 5 older ones."))
        let whole = try await self.page([entry(1)])
        #expect(!whole.contains("looked only"))
    }

    @Test func saysThatThereIsNoCapture() async throws {
        let page = try await page([])
        #expect(page.contains("There is no such capture with landmarks to draw.") && exported.isEmpty)
    }
}
