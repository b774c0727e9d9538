import ControlAPI
import Foundation
import Testing

@testable import SyncDaemon

@Suite struct ListNoticeTests {
    private static let now = Date(timeIntervalSince1970: 1_765_000_000)  // 05:46:40 UTC
    private static func ago(_ seconds: TimeInterval) -> Date { now.addingTimeInterval(-seconds) }

    private static func notices(
        _ list: RosterSummary, session: String = "signedIn", pause: PauseReport? = nil, backends: [String] = ["breathesafe"]
    ) -> [Attention] {
        let reports = backends.map { name in
            var report = BackendReport(
                name: name, baseURL: "https://x", gate: "open", gateReason: nil,
                session: SessionReport(backend: name, state: session, account: "1", email: "ann@lab.test"), queue: QueueReport(),
                oldestWaiting: nil, lastDelivered: nil, nextTry: nil, otherAccounts: [], pause: pause)
            report.rosters = name == "breathesafe" ? [list] : nil
            return report
        }
        return StatusSummary(
            backends: reports, spool: SpoolReport(directory: "/spool", waiting: 0, refused: 0),
            moment: Moment(now: now, timeZone: .gmt)
        ).attention
    }

    private static func people(failingFor seconds: TimeInterval?, cause: String = "serverError", staleFor stale: TimeInterval? = nil)
        -> RosterSummary
    {
        var list = RosterSummary(
            resource: "managed_users", title: RosterTitle(one: "person", many: "people"), state: "complete", count: 4,
            readAt: ago(2 * 86_400))
        (list.failingSince, list.staleSince) = (seconds.map(ago), stale.map(ago))
        if seconds != nil { (list.failure, list.failureCause) = ("breathesafe answered with a server error (500).", cause) }
        return list
    }

    /// Each with its seconds of failing, of being too old, and whether it needs a person.
    @Test(
        arguments: [
            (nil, nil, false), (60, nil, false), (86_399, nil, false), (86_400, nil, true), (3599, 86_400, false), (3600, 86_400, true),
            (3600, 86_399, false), (nil, 86_400, false),
        ] as [(TimeInterval?, TimeInterval?, Bool)])
    func failingListNeedsAPersonAfterADay(failing: TimeInterval?, stale: TimeInterval?, needsPerson: Bool) {
        let codes = Self.notices(Self.people(failingFor: failing, staleFor: stale)).map(\.code)
        #expect(codes == (needsPerson ? ["list-failing"] : []))
    }

    @Test func noticeSaysWhatFailsAndThatDeliveriesDoNot() throws {
        let notice = try #require(Self.notices(Self.people(failingFor: 90_000)).first)
        #expect(
            notice.text
                == "Reading your people from breathesafe, which were last read 2 days ago, has failed since 5 Dec 04:46: breathesafe answered with a server error (500)."
        )
        #expect(notice.next.contains("delivers captures as before") && notice.next.hasSuffix("run: homing people --refresh"))
        #expect(notice.backend == "breathesafe")
        let several = Self.notices(Self.people(failingFor: 90_000), backends: ["breathesafe", "lists"])
        #expect(several.first?.next.hasSuffix("run: homing people --refresh --backend breathesafe") == true)
    }

    @Test func noNoticeWithoutSessionDuringPausesAndWhileOffline() {
        let failing = Self.people(failingFor: 90_000)
        #expect(!Self.notices(failing, session: "signInRequired").contains { $0.code == "list-failing" })
        #expect(Self.notices(Self.people(failingFor: 90_000, cause: "offline")).isEmpty)
        let pause = PauseReport(
            backend: "breathesafe", reason: "backup", since: Self.ago(60), until: Self.now.addingTimeInterval(60), by: "bob")
        #expect(Self.notices(failing, pause: pause).isEmpty)
    }
}
