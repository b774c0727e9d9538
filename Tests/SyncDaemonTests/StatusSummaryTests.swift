import ControlAPI
import Foundation
import Outbox
import Testing

@testable import SyncDaemon

@Suite struct StatusSummaryTests {
    private func backend(
        _ queue: QueueReport, session: String = "signedIn", gate: String = "open", reason: String? = nil, others: [WaitingAccount] = []
    ) -> BackendReport {
        BackendReport(
            name: "breathesafe", baseURL: "https://x", gate: gate, gateReason: reason,
            session: SessionReport(backend: "breathesafe", state: session, account: "1", email: "ann@lab.test"), queue: queue,
            oldestWaiting: nil,
            lastDelivered: nil, nextTry: nil, otherAccounts: others)
    }

    private func summary(_ backend: BackendReport, waiting: Int = 0, refused: Int = 0) -> StatusSummary {
        StatusSummary(backends: [backend], spool: SpoolReport(directory: "/spool", waiting: waiting, refused: refused), moment: moment)
    }

    private let moment = Moment(now: Date(timeIntervalSince1970: 1_765_000_000), timeZone: .gmt)

    @Test func theSentenceAnswersTheQuestion() {
        let offline = "The backend does not answer."
        let bob = WaitingAccount(account: "2", email: "bob@lab.test", waiting: 2)
        let cases: [(StatusSummary, String)] = [
            (summary(backend(QueueReport())), "Ready: nothing has been captured yet."),
            (summary(backend(QueueReport(), session: "signedOut")), "Nobody is signed in, and nothing is waiting."),
            (summary(backend(QueueReport(delivered: 1))), "Everything has gone up: 1 capture delivered, nothing is waiting."),
            (summary(backend(QueueReport(pending: 2, inflight: 1))), "3 captures are on the way up."),
            (
                summary(backend(QueueReport(pending: 1), gate: "cooling", reason: offline)),
                "1 capture is safe here and waits for the network: \(offline)"
            ),
            (
                summary(backend(QueueReport(pending: 2), session: "signInRequired", gate: "signInRequired"), waiting: 1),
                "3 captures are safe here and cannot go up until somebody signs in."
            ),
            (
                summary(backend(QueueReport(pending: 4, held: 1, dead: 1))),
                "2 captures could not be delivered and need you. 4 captures wait besides."
            ),
            (
                summary(backend(QueueReport(pending: 4, dead: 1, blocked: 4))),
                "1 capture could not be delivered and needs you. 4 captures wait behind it."
            ),
            (
                summary(backend(QueueReport(pending: 4, held: 2, blocked: 1))),
                "2 captures could not be delivered and need you. 4 captures wait besides, 1 of them behind what needs you."
            ),
            (
                summary(backend(QueueReport(pending: 2, delivered: 5), others: [bob])),
                "2 captures wait for bob@lab.test to sign in again; everything else has gone up."
            ),
        ]
        for (summary, sentence) in cases { #expect(summary.sentence == sentence) }
    }

    @Test func aFullDiskGoesFirst() {
        var full = summary(backend(QueueReport(pending: 2)))
        full.room = .diskFull
        #expect(full.sentence == "The disk is full: nothing more can be taken in. 2 captures are safe here and go on going up.")
        #expect(full.attention.map(\.code) == ["disk-full"])
        full.room = .nothingLeft
        #expect(
            full.sentence
                == "The disk is full: nothing more can be taken in or sent. 2 captures are safe here, and go up once there is room.")
        #expect(full.attention.map(\.code) == ["disk-full"])
        full.room = .overLimit(3 << 20)
        #expect(full.sentence == "2 captures are on the way up. The outbox is full and takes nothing more in until some of it has gone up.")
        #expect(full.attention.map(\.text) == ["The outbox has reached its limit of 3 MiB: nothing more is taken in."])
        full.room = .enough
        #expect(full.attention.isEmpty)
    }

    @Test func whereEverybodyMayReadItNobodyIsNamed() {
        let bob = WaitingAccount(account: "2", email: "bob@lab.test", waiting: 2)
        let summary = summary(backend(QueueReport(pending: 2, delivered: 5), others: [bob]))
        #expect(summary.withoutNames.sentence == "2 captures wait for another account to sign in again; everything else has gone up.")
    }

    private func paused(_ queue: QueueReport, session: String = "signedIn", since: TimeInterval, ends: TimeInterval?) -> StatusSummary {
        var report = backend(queue, session: session, gate: "paused")
        report.pause = PauseReport(
            backend: "breathesafe", reason: "backup", since: moment.now.addingTimeInterval(since),
            until: ends.map { moment.now.addingTimeInterval($0) }, by: "ann")
        return summary(report)
    }

    @Test func aPauseIsInTheSentence() {
        let cases: [(StatusSummary, String)] = [
            (
                paused(QueueReport(pending: 3, delivered: 2), since: -60, ends: 3600),
                "3 captures are safe here; sending is paused until 06:46 by ann."
            ),
            (
                paused(QueueReport(pending: 1), since: -60, ends: nil),
                "1 capture is safe here; sending is paused by ann until somebody resumes it."
            ),
            (
                paused(QueueReport(pending: 1), session: "signedOut", since: -60, ends: 3600),
                "1 capture is safe here; sending is paused until 06:46 by ann. Nobody is signed in."
            ),
            (
                paused(QueueReport(delivered: 2), since: -60, ends: 3600),
                "Everything has gone up: 2 captures delivered, nothing is waiting. Sending is paused until 06:46 by ann."
            ),
            (
                paused(QueueReport(pending: 1, dead: 1), since: -60, ends: 3600),
                "1 capture could not be delivered and needs you. 1 capture waits besides."
            ),
        ]
        for (summary, sentence) in cases { #expect(summary.sentence == sentence) }
    }

    /// A pause that may have been forgotten: without an end for a day, or with captures that have waited for a week.
    @Test(
        arguments: [
            (-3600, nil, 5, false), (-86_400, nil, 0, true), (-86_400, 3600, 5, false), (-7 * 86_400, 3600, 5, true),
            (-7 * 86_400, 3600, 0, false),
        ] as [(TimeInterval, TimeInterval?, Int, Bool)])
    func aForgottenPauseNeedsAPerson(since: TimeInterval, ends: TimeInterval?, waiting: Int, needsOne: Bool) {
        let attention = paused(QueueReport(pending: waiting), since: since, ends: ends).attention
        #expect(attention.map(\.code) == (needsOne ? ["paused"] : []))
    }

    @Test func entriesWithoutAProfileAreNotForgotten() {
        var orphaned = summary(backend(QueueReport()))
        orphaned.withoutProfile = ["old": 3]
        #expect(orphaned.sentence == "3 captures cannot go up: there is no profile for their backend old any more.")
        #expect(orphaned.attention.map(\.code) == ["no-profile"])
    }

    @Test func whatNeedsAPersonIsNamedGravestFirst() {
        let bob = WaitingAccount(account: "2", email: "bob@lab.test", waiting: 2)
        #expect(summary(backend(QueueReport(pending: 3, delivered: 9))).attention.isEmpty)
        #expect(
            summary(backend(QueueReport(held: 1, dead: 2), others: [bob]), refused: 1).attention.map(\.code) == [
                "dead", "held", "other-account", "refused-files",
            ])
        #expect(summary(backend(QueueReport(), session: "signInRequired")).attention.map(\.code) == ["sign-in-required"])
        #expect(summary(backend(QueueReport(), session: "signedOut")).attention.isEmpty)
        #expect(summary(backend(QueueReport(), session: "signedOut"), waiting: 1).attention.map(\.code) == ["sign-in-required"])
        for item in summary(backend(QueueReport(held: 1, dead: 2), others: [bob]), refused: 1).attention {
            #expect(item.text.hasSuffix(".") && item.next.hasSuffix("."), "\(item)")
        }
    }
    @Test(
        arguments: [
            (1, "1 file in the drop folder cannot be taken: /spool/new/users/7/a.json: Permission denied."),
            (3, "3 files in the drop folder cannot be taken, among them: /spool/new/users/7/a.json: Permission denied."),
        ])
    func filesThatCannotBeTakenAreNamedWithOneOfThem(count: Int, text: String) {
        let file = SpoolReport.StuckFile(path: "/spool/new/users/7/a.json", reason: "Permission denied", next: "Give write permission.")
        let spool = SpoolReport(directory: "/spool", waiting: count, refused: 1, stuck: count, stuckExample: file)
        let attention = StatusSummary(backends: [backend(QueueReport(delivered: 1))], spool: spool, moment: moment).attention
        #expect(attention.map(\.code) == ["stuck-files", "refused-files"])
        #expect(attention.first == Attention(code: "stuck-files", text: text, next: "Give write permission."))
    }
}
