import ControlAPI
import Foundation
import HTTPTypes
import Testing

@testable import Dashboard

/// What pages and buttons ask of the daemon.
@Suite(.timeLimit(.minutes(10))) struct CallsTests {
    private let sample = Sample(text: "breathesafe")
    private let daemon = FakeDaemon()

    private func visit(_ path: String, _ form: [String: String] = [:]) -> Visit {
        var visit = Visit(HTTPRequest(method: .get, scheme: "http", authority: "", path: "/place/\(path)"))
        visit.form = form
        return visit
    }

    @Test(arguments: [("breathesafe", true), ("other", false)])
    func fixShowsTheListOfTheEntrysAccountAlone(account: String, isShown: Bool) async throws {
        let detail = EntryDetail(entry: sample.entry(), attempts: [])
        var list = sample.roster
        list.roster.account = account
        try await daemon.serve { [list] call in
            if call.hasPrefix("GET /v1/roster/") { return list }
            return detail
        } _: { client in
            let page = try await Reading(client: client, desk: Sample.desk()).page(visit("entry/1/fix"))
            #expect((page != nil) == isShown)
        }
    }

    /// With today, so that the page has as many days as it says.
    @Test func figuresBeginTwentyNineDaysAgo() async throws {
        let report = sample.figures.report
        try await daemon.serve { _ in
            report
        } _: { client in
            let page = try #require(try await Reading(client: client, desk: Sample.desk()).page(visit("figures")))
            #expect(page.tab == .figures && page.body.source.contains("1,198"))
        }
        let call = try #require(daemon.calls.first)
        #expect(call.hasPrefix("GET /v1/stats?since=2025-02-10T14") && daemon.calls.count == 1, "\(call)")
    }

    @Test func fixIsStrict() async throws {
        let detail = EntryDetail(entry: sample.entry(), attempts: [])
        let receipt = SubmissionReceipt(id: "2", sequence: 2, duplicate: false, backend: "", account: "", lane: "")
        try await daemon.serve { call in
            if call.hasPrefix("POST") { return receipt }
            return detail
        } _: { client in
            _ = try await Acting(client: client, desk: Sample.desk()).outcome(of: visit("entry/1/fix", ["person": "7"]))
        }
        let fix = try #require(daemon.calls.last)
        #expect(fix.hasPrefix("POST /v1/entries/breathesafe/fix?item.breathesafe=7&") && fix.hasSuffix("&strict=true"))
    }

    /// The wrong answer loses the entry, or makes a second one, so none is guessed.
    @Test(arguments: [
        (["delivered": "yes", "remote": "5"], true), (["delivered": "no"], true), (["delivered": "true"], false), ([:], false),
        (["delivered": "no", "remote": "5"], false),
    ])
    func resolveNeedsAClearAnswer(form: [String: String], isSent: Bool) async throws {
        try await daemon.serve { [sample] _ in
            sample.entry()
        } _: { client in
            _ = try await Acting(client: client, desk: Sample.desk()).outcome(of: visit("entry/1/resolve", form))
        }
        #expect(daemon.calls.contains { $0.hasPrefix("POST /v1/entries/1/resolve") } == isSent, "\(daemon.calls)")
    }

    /// Its correction stands beside it, not only a button that tries all again.
    @Test func entryThatIsRefusedAloneIsShownWithItsButtons() async throws {
        var status = sample.status
        let ids = ["alone", "other"]
        status.backends[0].coolingRoutes = ids.map { id in
            var route = CoolingRoute(route: id, since: .distantPast, until: .distantFuture, reason: "no")
            route.entry = id
            return route
        }
        status.attention = ids.map { id in
            Attention(code: "route-failing", text: "refused", next: "fix it", backend: status.backends[0].name).stating { $0.entry = id }
        }
        let detail = EntryDetail(entry: sample.entry("pending", id: "alone"), attempts: [])
        let other = EntryDetail(entry: sample.entry("pending", id: "other"), attempts: [])
        try await daemon.serve { [status, sample] call in
            if call == "GET /v1/status" { return status }
            if call.hasSuffix("/why") { return sample.why }
            if call.hasPrefix("GET /v1/entries/other") { return other }
            return call.hasPrefix("GET /v1/entries/alone") ? detail : EntryPage(entries: [], next: nil)
        } _: { client in
            let page = try #require(try await Reading(client: client, desk: Sample.desk()).page(visit("")))
            // Each under its own notice.
            for id in ids { #expect(page.body.source.components(separatedBy: "/entry/\(id)/fix\"").count == 2, "\(id)") }
        }
    }

    @Test(arguments: [("breathesafe", true), ("other", false)])
    func claimIsForTheAccountThatThePersonSaw(account: String, isClaimed: Bool) async throws {
        let (status, report) = (sample.status, ClaimReport(files: 1, backend: "breathesafe", account: "breathesafe"))
        try await daemon.serve { call in
            if call.hasPrefix("POST") { return report }
            return status
        } _: { client in
            let form = ["backend": "breathesafe", "account": account]
            let outcome = try await Acting(client: client, desk: Sample.desk()).outcome(of: visit("claim", form))
            guard case .done(let did, _) = outcome else {
                Issue.record("The claim has no notice.")
                return
            }
            #expect(did == (isClaimed ? "claimed" : "nothing"))
        }
        #expect(daemon.calls.contains("POST /v1/claim") == isClaimed)
    }

    @Test func discardedEntriesAndHeldOnesDoNotHideEachOther() async throws {
        var status = sample.status
        status.backends[0].queue = QueueReport(held: 2, discarding: 1)
        let pages = [
            "after=0&": EntryPage(entries: [sample.entry("held", hold: "forbidden", id: "first")], next: 1),
            "after=1&": EntryPage(entries: [sample.entry("held", hold: "discarding", id: "second")], next: 2),
            "after=2&": EntryPage(entries: [sample.entry("held", hold: "forbidden", id: "third")], next: nil),
        ]
        let why = sample.why
        try await daemon.serve { [status] call in
            if call.hasSuffix("/why") { return why }
            if call == "GET /v1/status" { return status }
            return pages.first { call.contains($0.key) }?.value ?? EntryPage(entries: [], next: nil)
        } _: { client in
            let page = try #require(try await Reading(client: client, desk: Sample.desk()).page(visit("")))
            for part in ["entry/first/retry", "entry/second/restore", "entry/third/retry"] {
                #expect(page.body.source.contains(part), "\(part)")
            }
        }
    }
}
