import Capture
import ControlAPI
import Foundation
import Outbox
import Salvage
import SyncModel
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

    private static func person(_ id: String, _ name: String) -> SubjectReport {
        SubjectReport(resource: "managed_users", field: "user_id", id: id, label: name)
    }

    @Test func noticesNameTheOnlyPersonOfFailedEntries() {
        var failed = summary(backend(QueueReport(held: 2, dead: 1)))
        failed.commonNames = ["breathesafe": [.dead: Self.person("28", "Anna Example"), .held: Self.person("5", "Eve Lab")]]
        let texts = failed.attention.map(\.text)
        #expect(texts.contains { $0.hasPrefix("1 capture of Anna Example (28) for breathesafe was refused") }, "\(texts)")
        #expect(texts.contains { $0.hasPrefix("2 captures of Eve Lab (5) for breathesafe are on hold") }, "\(texts)")
        #expect(!failed.withoutNames.attention.contains { $0.text.contains("Anna") || $0.text.contains("Eve") })
        #expect(!failed.sentence.contains("Anna"))
    }

    /// A page writes its own sentences from them.
    @Test func noticesStateTheirValues() {
        var failed = summary(backend(QueueReport(held: 2, dead: 1)))
        failed.commonNames = ["breathesafe": [.dead: Self.person("28", "Anna Example")]]
        let dead = SentenceFacts { ($0.count, $0.name, $0.subject) = (1, "Anna Example (28)", Self.person("28", "Anna Example")) }
        let held = SentenceFacts { $0.count = 2 }
        #expect(failed.attention.map(\.code) == ["dead", "held"] && failed.attention.map(\.facts) == [dead, held])
        let signedOut = summary(backend(QueueReport(pending: 3), session: "signInRequired", gate: "signInRequired")).attention
        let ended = SentenceFacts { ($0.count, $0.account, $0.reason) = (3, "ann@lab.test", Attention.ended) }
        #expect(signedOut.map(\.facts) == [ended])
        var full = summary(backend(QueueReport()))
        full.room = .nothingLeft
        #expect(full.attention.first?.facts?.reason == Attention.nothingLeft)
    }

    @Test func discardingEntriesNeedNoPerson() {
        let discarding = summary(backend(QueueReport(delivered: 1, discarded: 1, discarding: 2)))
        #expect(discarding.attention.isEmpty)
        #expect(
            discarding.sentence
                == "Everything has been delivered: 1 capture, 1 more discarded. Nothing is waiting. 2 captures are being discarded.")
        let first = summary(backend(QueueReport(discarded: 2, discarding: 1)))
        #expect(first.sentence == "Nothing is waiting: 2 captures were discarded. 1 capture is being discarded.")
        #expect(summary(backend(QueueReport(discarding: 1))).sentence == "Nothing is waiting. 1 capture is being discarded.")
    }

    @Test func eachSituationHasItsSentence() {
        let offline = "The backend does not answer."
        let bob = WaitingAccount(account: "2", email: "bob@lab.test", waiting: 2)
        let cases: [(StatusSummary, String)] = [
            (summary(backend(QueueReport())), "Ready: nothing has been captured yet."),
            (summary(backend(QueueReport(), session: "signedOut")), "Not signed in. Nothing is waiting."),
            (summary(backend(QueueReport(delivered: 1))), "Everything has been delivered: 1 capture. Nothing is waiting."),
            (summary(backend(QueueReport(pending: 2, inflight: 1))), "3 captures are on their way."),
            (
                summary(backend(QueueReport(pending: 1), gate: "cooling", reason: offline)),
                "1 capture is safe here and waits for the network: \(offline)"
            ),
            (
                summary(backend(QueueReport(pending: 2), session: "signInRequired", gate: "signInRequired"), waiting: 1),
                "3 captures are safe here and cannot be sent until ann@lab.test signs in."
            ),
            (
                summary(backend(QueueReport(pending: 4, held: 1, dead: 1))),
                "2 captures have failed or are on hold, and need your decision. 4 captures are waiting."
            ),
            (
                summary(backend(QueueReport(pending: 4, dead: 1, blocked: 4))),
                "1 capture has failed or is on hold, and needs your decision. 4 captures are waiting behind it."
            ),
            (
                summary(backend(QueueReport(pending: 4, held: 2, blocked: 1))),
                "2 captures have failed or are on hold, and need your decision. 4 captures are waiting, 1 of them behind these."
            ),
            (
                summary(backend(QueueReport(pending: 2, delivered: 5), others: [bob])),
                "2 captures wait for bob@lab.test to sign in again; everything else has been delivered."
            ),
        ]
        for (summary, sentence) in cases { #expect(summary.sentence == sentence) }
    }

    @Test(arguments: [(61.0, 0, true), (60.0, 0, false), (900.0, 1, false)])
    func entriesThatWaitForTheirTimeAreNotOnTheirWay(seconds: TimeInterval, inflight: Int, isLater: Bool) {
        var report = backend(QueueReport(pending: 2, inflight: inflight))
        report.nextTry = moment.now.addingTimeInterval(seconds)
        let later = "2 captures are safe here; Homing tries again at 05:47."
        #expect(summary(report).sentence == (isLater ? later : "\(2 + inflight) captures are on their way."))
    }

    @Test func repeatedLookUpFailuresNeedAttention() {
        let stuck = summary(backend(QueueReport(pending: 40, blocked: 39, unseen: 1)))
        #expect(
            stuck.sentence
                == "1 capture may already be delivered, but looking it up keeps failing. 39 captures are waiting behind it."
        )
        #expect(stuck.attention.map(\.code) == ["look-up-failing"])
        #expect(stuck.attention.first?.next.hasSuffix("run: homing sync") == true)
        let others = summary(backend(QueueReport(pending: 40, unseen: 1)))
        #expect(others.sentence.hasSuffix("but looking it up keeps failing. 39 captures are on their way."))
    }

    /// A short failure passes by itself; a longer one must be visible to monitoring.
    @Test(arguments: [(299, []), (300, ["route-failing"])] as [(TimeInterval, [String])])
    func routeFailingForFiveMinutesNeedsAttention(seconds: TimeInterval, codes: [String]) {
        var failing = backend(QueueReport(pending: 2, delivered: 1))
        var route = CoolingRoute(
            route: "measurement", since: moment.now.addingTimeInterval(-seconds), until: moment.now.addingTimeInterval(60),
            reason: "breathesafe answered that the account is not allowed to do this (403).")
        route.title = RosterTitle(one: "measurement", many: "measurements")
        failing.coolingRoutes = [route]
        let summary = summary(failing)
        #expect(summary.attention.map(\.code) == codes)
        #expect(summary.sentence.contains("breathesafe does not accept any measurements at the moment: breathesafe answered"))
        failing.queue = QueueReport(delivered: 3)
        #expect(self.summary(failing).attention.isEmpty)
    }

    @Test func failingRouteNamesTheEntryThatHoldsOthersBack() {
        var failing = backend(QueueReport(pending: 3))
        let (since, until) = (moment.now.addingTimeInterval(-300), moment.now.addingTimeInterval(60))
        failing.coolingRoutes = [CoolingRoute(route: "measurement", since: since, until: until, reason: "R.")]
        var summary = summary(failing)
        #expect(summary.attention.first?.next.hasSuffix("run: homing sync") == true)
        summary.heldBack = ["breathesafe": ["measurement": (by: "0190a6b2-7c3e-7d4f-8a5b-6c7d8e9f0a1b", count: 2)]]
        let words =
            "\n2 later entries wait behind 6c7d8e9f0a1b, because their order matters. To see the next step for that entry, run: homing why 6c7d8e9f0a1b"
        #expect(summary.attention.first?.next.hasSuffix(words) == true)
        summary.heldBack = ["breathesafe": ["measurement": (by: "0190a6b2-7c3e-7d4f-8a5b-6c7d8e9f0a1b", count: Outbox.countedInLane)]]
        #expect(summary.attention.first?.next.contains("\nAt least 1000 later entries wait behind 6c7d8e9f0a1b,") == true)
    }

    @Test func failingRouteIsNamedInPlainWords() {
        var failing = backend(QueueReport(pending: 2, delivered: 1))
        var route = CoolingRoute(
            route: "create_managed_user", since: moment.now.addingTimeInterval(-300), until: moment.now.addingTimeInterval(60), reason: "R."
        )
        route.title = RosterTitle(one: "new person", many: "new people")
        failing.coolingRoutes = [route]
        let summary = summary(failing)
        #expect(summary.attention.first?.text.hasPrefix("breathesafe has accepted no new person since ") == true)
        #expect(summary.attention.first?.facts?.title == route.title)
        #expect(summary.sentence.contains("breathesafe does not accept any new people at the moment: R."))
    }

    private func report(
        _ name: String, _ queue: QueueReport, session: String = "signedIn", email: String? = "ann@lab.test", gate: String = "open",
        cause: String? = nil, others: [(String, Int)] = []
    ) -> BackendReport {
        BackendReport(
            name: name, baseURL: "https://x", gate: gate, gateReason: cause.map { "Its words (\($0))." },
            session: SessionReport(backend: name, state: session, account: email.map { _ in "1" }, email: email), queue: queue,
            oldestWaiting: nil, lastDelivered: nil, nextTry: nil,
            otherAccounts: others.map { WaitingAccount(account: $0.0, email: $0.0, waiting: $0.1) }, gateCause: cause)
    }

    private func summary(_ backends: [BackendReport], files: Int = 0, for backend: String? = nil) -> StatusSummary {
        StatusSummary(
            backends: backends, spool: SpoolReport(directory: "/spool", waiting: files, refused: 0), spoolBackend: backend, moment: moment)
    }

    @Test func blockedCapturesAreNotReportedOnTheirWay() {
        let out = "signInRequired"
        let a = report("a", QueueReport(delivered: 3))
        let b = report("b", QueueReport(pending: 1), session: out, email: "bob@lab.test", gate: out)
        let signedOut = report("c", QueueReport(pending: 2), session: "signedOut", email: nil, gate: out, others: [("cy@lab.test", 2)])
        let cases: [(StatusSummary, String)] = [
            (summary([a, b]), "1 capture is safe here and cannot be sent until bob@lab.test signs in at b."),
            (summary([a, b], files: 2, for: "b"), "3 captures are safe here and cannot be sent until bob@lab.test signs in at b."),
            (
                summary([a, b], files: 2, for: "a"),
                "1 capture is safe here and cannot be sent until bob@lab.test signs in at b. 2 more are on their way."
            ),
            (summary([a, signedOut]), "2 captures are safe here and cannot be sent until cy@lab.test signs in at c."),
            (summary([b, signedOut]), "3 captures are safe here and cannot be sent until an account signs in."),
            (
                summary([report("a", QueueReport(pending: 2)), report("d", QueueReport(pending: 1), gate: "cooling", cause: "offline")]),
                "1 capture for d is safe here and waits for the network: Its words (offline). 2 more are on their way."
            ),
        ]
        for (summary, sentence) in cases { #expect(summary.sentence == sentence) }
        #expect(summary([a, b]).withoutNames.sentence == "1 capture is safe here and cannot be sent until an account signs in at b.")
        #expect(summary([a, b]).only(b).sentence == "1 capture is safe here and cannot be sent until bob@lab.test signs in.")
        #expect(
            summary([a, b], files: 2, for: "b").only(a).sentence == "Everything has been delivered: 3 captures. Nothing is waiting.")
    }

    @Test(arguments: [
        ("throttled", "waits, because the backend asked Homing to wait"),
        ("serverError", "waits, because the backend is not working properly"),
        ("profile", "waits, because the backend does not match its profile"),
        ("signInRequired", "waits, because the session cannot be renewed yet"),
        ("stillUnauthorized", "waits, because the backend refuses entry after entry, although an account is signed in"),
        ("intercepted", "waits, because the answer does not come from the backend"), ("offline", "waits for the network"),
    ])
    func sentenceNamesCauseOfTheWait(cause: String, words: String) {
        let summary = summary([report("a", QueueReport(pending: 1), gate: "cooling", cause: cause)])
        #expect(summary.sentence == "1 capture is safe here and \(words): Its words (\(cause)).")
    }

    @Test func namesAccountsWithTheirWaitingCaptures() {
        func others(_ others: [(String, Int)]) -> StatusSummary {
            summary([report("a", QueueReport(pending: others.map(\.1).reduce(0, +), delivered: 1), others: others)])
        }
        let (ann, bob, cy) = (("ann", 2), ("bob", 3), ("cy", 1))
        #expect(
            others([ann, bob]).sentence == "2 captures wait for ann and 3 for bob to sign in again; everything else has been delivered.")
        #expect(
            others([ann, bob, cy]).sentence
                == "2 captures wait for ann and 4 for 2 others to sign in again; everything else has been delivered.")
        #expect(
            others([ann, bob]).withoutNames.sentence
                == "5 captures wait for 2 other accounts to sign in again; everything else has been delivered.")
        let also = summary([report("a", QueueReport(pending: 6), others: [ann, bob])])
        #expect(also.sentence == "1 capture is on its way. 2 captures wait for ann and 3 for bob to sign in again.")
    }

    @Test func profileMismatchNeedsAttention() throws {
        let item = try #require(summary([report("a", QueueReport(pending: 2), gate: "cooling", cause: "profile")]).attention.first)
        #expect(item.code == "misconfigured" && item.backend == "a")
        #expect(item.text == "a does not match its profile, and 2 captures are waiting: Its words (profile).")
        #expect(item.next.hasPrefix("Tell the administrator of this station: a.yaml must be corrected."))
        #expect(summary([report("a", QueueReport(pending: 2), gate: "cooling", cause: "offline")]).attention.isEmpty)
    }

    @Test func refusedCertificateNeedsAttention() throws {
        let item = try #require(summary([report("a", QueueReport(pending: 2), gate: "cooling", cause: "tls")]).attention.first)
        #expect(item.code == "no-secure-connection" && item.backend == "a")
        #expect(
            item.text
                == "Homing cannot send to a, and 2 captures are waiting, because no secure connection to the backend can be made: Its words (tls)."
        )
        #expect(item.next == "Tell the administrator of the network or the backend. Once this is fixed, Homing continues automatically.")
        let clock = try #require(summary([report("a", QueueReport(), gate: "cooling", cause: "clock")]).attention.first)
        #expect(clock.code == "clock")
        #expect(
            clock.text
                == "Homing cannot send to a, because the backend’s certificate is not valid by this station’s clock: Its words (clock).")
        #expect(
            clock.next
                == "If the station’s clock is right, tell the administrator of the backend. Otherwise set the clock; then Homing continues automatically."
        )
    }

    @Test func requiredSignInGivesReasonAndCommand() throws {
        var keyed = report("keyed", QueueReport(pending: 1), session: "signInRequired", gate: "signInRequired")
        keyed.session.reason = "The account has been disabled."
        keyed.signInCommand = "homing login --backend keyed --token-stdin"
        let item = try #require(summary([report("a", QueueReport()), keyed]).attention.first)
        #expect(item.text == "The session of ann@lab.test at keyed has ended, and 1 capture is waiting: The account has been disabled.")
        #expect(item.next == "To sign in again, run: homing login --backend keyed --token-stdin")
    }

    @Test func forgottenPauseGivesResumeCommandOfItsBackend() throws {
        var paused = report("a", QueueReport(pending: 1), gate: "paused")
        paused.pause = PauseReport(backend: "a", reason: "", since: moment.now.addingTimeInterval(-90_000), until: nil, by: "ann")
        let several = summary([paused, report("b", QueueReport(pending: 1), session: "signInRequired", gate: "signInRequired")])
        #expect(
            several.sentence.hasSuffix("until it is resumed. Not signed in.") == false
                && several.sentence.hasSuffix("1 capture is safe here and cannot be sent until ann@lab.test signs in at b."),
            "\(several.sentence)")
        #expect(several.attention.contains { $0.next.contains("run: homing resume --backend a\n") })
        #expect(summary([paused]).attention.contains { $0.next.contains("run: homing resume\n") })
    }

    /// They may be of any kind.
    @Test func damageNamesEntries() throws {
        let report = """
            {"at":"2025-12-06T05:46:40Z","reason":"r","saved":3,"unreadable":2,"missing":1,"mayMissMore":false,"lostReceipts":0}
            """
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        var damaged = summary(backend(QueueReport(delivered: 1)))
        damaged.damages = [try decoder.decode(SalvageReport.self, from: Data(report.utf8))]
        let words = "including 3 entries not yet delivered; 2 entries are on hold because parts cannot be read, 1 entry is missing."
        #expect(damaged.sentence.contains(" All readable data was saved, \(words)"), "\(damaged.sentence)")
    }

    @Test func fullDiskIsReportedFirst() {
        var full = summary(backend(QueueReport(pending: 2)))
        full.room = .diskFull
        #expect(full.sentence == "The disk is full: Homing accepts no new captures. 2 captures are on their way.")
        #expect(full.attention.map(\.code) == ["disk-full"])
        full.room = .nothingLeft
        #expect(
            full.sentence
                == "The disk is full: Homing can neither accept nor send captures. 2 captures are safe here, and wait for room.")
        #expect(full.attention.map(\.code) == ["disk-full"])
        full.room = .overLimit(3 << 20)
        #expect(full.sentence == "2 captures are on their way. The outbox is full: Homing accepts no new captures until there is room.")
        #expect(full.attention.map(\.text) == ["The outbox is full: Homing accepts no new captures until there is room."])
        let next = full.attention.first?.next
        #expect(next?.contains("outbox.max_bytes (3 MiB)") == true && next?.hasSuffix("run: systemctl reload homingd") == true)
        // These entries may be all that is left.
        for state in ["failed", "held"] { #expect(next?.contains(", run: homing list --state \(state)\n") == true) }
        full.room = .enough
        #expect(full.attention.isEmpty)
    }

    @Test func lostStoreIsReportedFirst() {
        var lost = summary(backend(QueueReport(pending: 2)))
        lost.room = .gone("/s/outbox.sqlite")
        #expect(
            lost.sentence
                == "The store /s/outbox.sqlite was deleted or replaced while the daemon runs. Homing accepts and sends nothing. 2 captures are still in the daemon: do not stop or restart it."
        )
        #expect(lost.attention.map(\.code) == ["store-gone"])
        #expect(lost.attention.first?.next.contains("--unencrypted\nsudo homing backup FILE\n") == true)
        #expect(lost.attention.first?.facts?.path == "/s/outbox.sqlite")
    }

    @Test func deletedKeyIsReportedWithTheWaitingCaptures() {
        var keyless = summary(backend(QueueReport(pending: 2)))
        keyless.deletedKey = (path: "/s/homing.key", steps: KeyGone.next("/s/homing.key", in: "/s"))
        #expect(
            keyless.sentence
                == "The key file /s/homing.key was deleted while the daemon runs. Only the daemon still has the key. 2 captures are on their way."
        )
        #expect(keyless.attention.map(\.code) == ["key-deleted"] && keyless.attention.first?.facts?.path == "/s/homing.key")
        let next = keyless.attention.first?.next ?? ""
        #expect(
            next.contains("\nsudo homingd key export KEYFILE --unencrypted\nsudo install -m 0600 KEYFILE /s/homing.key\n"), "\(next)")
        #expect(next.hasSuffix("\nThen move KEYFILE, which is not encrypted, to a safe place, or run: sudo rm KEYFILE"), "\(next)")
        // The steps for the store save the key first.
        keyless.room = .gone("/s/outbox.sqlite")
        #expect(keyless.attention.map(\.code) == ["store-gone"])
    }

    @Test func nearlyFullDiskIsReportedBeforeItIsFull() {
        var low = summary(backend(QueueReport(pending: 2)))
        low.lowSpace = 640 << 20
        #expect(low.sentence == "2 captures are on their way. The disk is nearly full: 640 MiB are free.")
        #expect(low.attention.map(\.code) == ["disk-low"])
        #expect(low.only(low.backends[0]).attention.map(\.code) == ["disk-low"])
        for room in [Room.diskFull, .nothingLeft] {
            low.room = room
            #expect(low.attention.map(\.code) == ["disk-full"])
        }
    }

    @Test func discardedCapturesDoNotCountAsDelivered() {
        #expect(
            summary(backend(QueueReport(delivered: 5, discarded: 2))).sentence
                == "Everything has been delivered: 5 captures, 2 more discarded. Nothing is waiting.")
        #expect(summary(backend(QueueReport(discarded: 1))).sentence == "Nothing is waiting: 1 capture was discarded.")
    }

    @Test func sentenceWithoutNamesHidesAccounts() {
        let bob = WaitingAccount(account: "2", email: "bob@lab.test", waiting: 2)
        let summary = summary(backend(QueueReport(pending: 2, delivered: 5), others: [bob]))
        #expect(
            summary.withoutNames.sentence == "2 captures wait for another account to sign in again; everything else has been delivered.")
    }

    private func paused(_ queue: QueueReport, session: String = "signedIn", since: TimeInterval, ends: TimeInterval?) -> StatusSummary {
        var report = backend(queue, session: session, gate: "paused")
        report.pause = PauseReport(
            backend: "breathesafe", reason: "backup", since: moment.now.addingTimeInterval(since),
            until: ends.map { moment.now.addingTimeInterval($0) }, by: "ann")
        return summary(report)
    }

    @Test func sentenceMentionsPause() {
        let cases: [(StatusSummary, String)] = [
            (
                paused(QueueReport(pending: 3, delivered: 2), since: -60, ends: 3600),
                "3 captures are safe here; sending is paused until 06:46 by ann."
            ),
            (
                paused(QueueReport(pending: 1), since: -60, ends: nil),
                "1 capture is safe here; sending is paused by ann until it is resumed."
            ),
            (
                paused(QueueReport(pending: 1), session: "signedOut", since: -60, ends: 3600),
                "1 capture is safe here; sending is paused until 06:46 by ann. Not signed in."
            ),
            (
                paused(QueueReport(delivered: 2), since: -60, ends: 3600),
                "Everything has been delivered: 2 captures. Nothing is waiting. Sending is paused until 06:46 by ann."
            ),
            (
                paused(QueueReport(pending: 1, dead: 1), since: -60, ends: 3600),
                "1 capture has failed or is on hold, and needs your decision. 1 capture is waiting."
            ),
        ]
        for (summary, sentence) in cases { #expect(summary.sentence == sentence) }
    }

    /// A pause counts as forgotten after a day without an end, or when captures have waited for a week.
    @Test(
        arguments: [
            (-3600, nil, 5, false), (-86_400, nil, 0, true), (-86_400, 3600, 5, false), (-7 * 86_400, 3600, 5, true),
            (-7 * 86_400, 3600, 0, false),
        ] as [(TimeInterval, TimeInterval?, Int, Bool)])
    func forgottenPauseNeedsAttention(since: TimeInterval, ends: TimeInterval?, waiting: Int, needsOne: Bool) {
        let attention = paused(QueueReport(pending: waiting), since: since, ends: ends).attention
        #expect(attention.map(\.code) == (needsOne ? ["paused"] : []))
    }

    @Test func reportsEntriesWithoutProfile() {
        var orphaned = summary(backend(QueueReport()))
        orphaned.withoutProfile = ["old": 3]
        #expect(orphaned.sentence == "3 captures cannot be sent: the backend old no longer has a profile.")
        #expect(orphaned.attention.map(\.code) == ["no-profile"] && orphaned.attention.map(\.text) == [orphaned.sentence])
    }

    @Test func ordersAttentionBySeverity() {
        let bob = WaitingAccount(account: "2", email: "bob@lab.test", waiting: 2)
        #expect(summary(backend(QueueReport(pending: 3, delivered: 9))).attention.isEmpty)
        #expect(
            summary(backend(QueueReport(held: 1, dead: 2), others: [bob]), refused: 1).attention.map(\.code) == [
                "dead", "held", "other-account", "refused-files",
            ])
        let two = summary([report("a", QueueReport(), session: "signInRequired"), report("b", QueueReport(dead: 1))])
        #expect(two.attention.map(\.code) == ["dead", "sign-in-required"])
        #expect(summary(backend(QueueReport(), session: "signInRequired")).attention.map(\.code) == ["sign-in-required"])
        #expect(summary(backend(QueueReport(), session: "signedOut")).attention.isEmpty)
        #expect(summary(backend(QueueReport(), session: "signedOut"), waiting: 1).attention.map(\.code) == ["sign-in-required"])
        for item in summary(backend(QueueReport(held: 1, dead: 2), others: [bob]), refused: 1).attention {
            let command = item.next.split(separator: "\n").last?.contains(": homing ") == true
            #expect(item.text.hasSuffix(".") && (item.next.hasSuffix(".") || command), "\(item)")
        }
    }
    @Test(
        arguments: [
            (1, "1 file in the drop folder cannot be accepted: /spool/new/users/7/a.json: Permission denied."),
            (3, "3 files in the drop folder cannot be accepted, among them: /spool/new/users/7/a.json: Permission denied."),
        ])
    func stuckFilesAreReportedWithAnExample(count: Int, text: String) {
        let file = SpoolReport.StuckFile(path: "/spool/new/users/7/a.json", reason: "Permission denied", next: "Give write permission.")
        let spool = SpoolReport(directory: "/spool", waiting: count, refused: 1, stuck: count, stuckExample: file)
        let attention = StatusSummary(backends: [backend(QueueReport(delivered: 1))], spool: spool, moment: moment).attention
        #expect(attention.map(\.code) == ["stuck-files", "refused-files"])
        #expect(attention.first?.text == text && attention.first?.next == "Give write permission.")
        #expect(attention.first?.facts?.count == count && attention.first?.facts?.path == file.path)
    }

    @Test(
        arguments: [
            (1, "1 capture is on its way. 2 files in the drop folder cannot be accepted and need your attention."),
            (0, "2 files in the drop folder cannot be accepted and need your attention; everything else has been delivered."),
        ])
    func sentenceMentionsStuckFiles(waiting: Int, sentence: String) {
        let file = SpoolReport.StuckFile(path: "/spool/new/users/7/a.json", reason: "Permission denied", next: "Give write permission.")
        let spool = SpoolReport(directory: "/spool", waiting: waiting, refused: 0, stuck: 2, stuckExample: file)
        let status = StatusSummary(
            backends: [backend(QueueReport(delivered: 1))], spool: spool, stuckWaiting: 2, moment: moment)
        #expect(status.sentence == sentence)
        #expect(!status.withoutNames.sentence.contains("Give"))
    }

    @Test(
        arguments: [
            (0, 0, "The drop folder cannot be emptied: Permission denied."),
            (1, 0, "The drop folder cannot be emptied: Permission denied. 1 dropped file is waiting there."),
            (1000, 0, "The drop folder cannot be emptied: Permission denied. 1000 dropped files are waiting there."),
            (2, 1, "1 capture is on its way. The drop folder cannot be emptied: Permission denied. 2 dropped files are waiting there."),
        ])
    func dropFolderFailureIsReported(waiting: Int, pending: Int, sentence: String) {
        let spool = SpoolReport(directory: "/spool", waiting: waiting, refused: 0)
        let status = StatusSummary(
            backends: [backend(QueueReport(pending: pending, delivered: 1))], spool: spool, spoolFailure: "Permission denied",
            moment: moment)
        #expect(status.sentence == sentence)
        #expect(status.attention.map(\.code) == ["drop-folder-failing"])
        #expect(status.attention.first.map { sentence.hasSuffix($0.text) } == true)
    }

    @Test(
        arguments: [
            (UnclaimedFiles.ask, "Are they yours?", "To send them as ann@lab.test, run: homing claim"),
            (.hold, "are on hold.", "To send them as ann@lab.test, an administrator runs: homing claim"),
        ])
    func reportsUnclaimedFilesWithNextStep(policy: UnclaimedFiles, end: String, next: String) throws {
        let spool = SpoolReport(directory: "/spool", waiting: 0, refused: 0, unclaimed: 3)
        let status = StatusSummary(
            backends: [backend(QueueReport(delivered: 1))], spool: spool, unclaimed: policy, moment: moment)
        #expect(
            status.sentence
                == "Everything else has been delivered: 1 capture. Nothing else is waiting. 3 dropped files have not been claimed.")
        let item = try #require(status.attention.first)
        #expect(status.attention.count == 1)
        #expect(item.code == "unclaimed-files")
        #expect(item.text.hasPrefix("3 files were dropped while signed out") && item.text.hasSuffix(end), "\(item)")
        #expect(item.next == next)
        for (unclaimed, named) in [(1, "It was dropped as new/users/5/a.json."), (3, "The first one was dropped as new/users/5/a.json.")] {
            var spool = SpoolReport(directory: "/spool", waiting: 0, refused: 0, unclaimed: unclaimed)
            spool.firstUnclaimed = "users/5/a.json"
            let item = StatusSummary(backends: [backend(QueueReport())], spool: spool, unclaimed: policy, moment: moment).attention.first
            #expect(item?.next.hasPrefix("\(named)\nTo send ") == true && item?.facts?.path == "users/5/a.json", "\(item?.next ?? "")")
            // Monitoring systems show the text.
            #expect(item?.text.contains("a.json") == false)
        }
        // The first step is to sign in.
        let out = StatusSummary(
            backends: [backend(QueueReport(delivered: 1), session: "signedOut")], spool: spool, unclaimed: policy, moment: moment)
        #expect(out.sentence == "3 captures are safe here and cannot be sent until ann@lab.test signs in.")
        #expect(out.attention.map(\.code) == ["sign-in-required"])
        #expect(out.attention.first?.next.contains("--claim") == (policy == .ask))
    }

    /// A person may believe that it was delivered.
    @Test func sentenceMentionsRefusedFiles() {
        let refused = "1 dropped file was refused and not sent."
        let bob = WaitingAccount(account: "2", email: "bob@lab.test", waiting: 2)
        let cases: [(StatusSummary, String)] = [
            (
                summary(backend(QueueReport(delivered: 3)), refused: 1),
                "\(refused) Everything else has been delivered: 3 captures. Nothing else is waiting."
            ),
            (summary(backend(QueueReport()), refused: 1), "\(refused) Ready: nothing else has been captured yet."),
            (
                summary(backend(QueueReport(dead: 1)), refused: 1),
                "1 capture has failed or is on hold, and needs your decision. \(refused)"
            ),
            (
                summary(backend(QueueReport(pending: 2, delivered: 5), others: [bob]), refused: 1),
                "2 captures wait for bob@lab.test to sign in again. \(refused)"
            ),
        ]
        for (summary, sentence) in cases { #expect(summary.sentence == sentence) }
        #expect(
            summary(backend(QueueReport(delivered: 3)), refused: 2).attention.map(\.next) == [
                "The .reason file beside each in /spool/refused says why. Fix them and drop them again.\nTo end this notice, the user who dropped them, or an administrator, runs: homing discard --file NAME --reason TEXT\nTo discard all of them, run: homing discard --all-files --reason TEXT"
            ])
    }

    private static let discardAll = "To discard all of them, run: homing discard --all-files --reason TEXT"

    @Test(
        arguments: [
            (1, ["a b.json"], "an administrator, runs: homing discard --file 'a b.json' --reason TEXT"),
            (2, ["a.json", "b.json"], "runs for each of a.json and b.json: homing discard --file NAME --reason TEXT\n\(discardAll)"),
            (
                3, ["a.json", "b.json", "c.json"],
                "runs for each of a.json, b.json and c.json: homing discard --file NAME --reason TEXT\n\(discardAll)"
            ),
            (
                25, ["a.json", "b.json", "c.json", "d.json"],
                "for each of a.json, b.json, c.json and 22 more: homing discard --file NAME --reason TEXT\n\(discardAll)\nTo see all names, run: ls '/spool/refused'"
            ),
        ] as [(Int, [String], String)])
    func noticeNamesRefusedFiles(refused: Int, names: [String], end: String) {
        let spool = SpoolReport(directory: "/spool", waiting: 0, refused: refused, refusedFiles: names)
        let next = StatusSummary(backends: [backend(QueueReport())], spool: spool, moment: moment).attention.first?.next
        #expect(next?.hasSuffix(end) == true, "\(next ?? "")")
    }

    @Test func noticeNamesThePlaceOfARefusedFile() {
        var spool = SpoolReport(directory: "/spool", waiting: 0, refused: 1, refusedFiles: ["2-a.json"])
        spool.refusedPlaces = ["2-a.json": "users/5/a.json"]
        func next() -> String {
            StatusSummary(backends: [backend(QueueReport())], spool: spool, moment: moment).attention.first?.next ?? ""
        }
        #expect(next().contains("Fix it and drop it again as /spool/new/users/5/a.json.\nTo end this notice, "), "\(next())")
        (spool.refused, spool.refusedFiles) = (2, ["2-a.json", "a.json"])
        #expect(next().contains("says why, and where it was dropped. Fix them and drop them there again.\nTo end this"), "\(next())")
    }

    /// Dropped at the same place, it would be refused again.
    @Test func noticeNamesTheFolderForARefusedFileWithoutAUser() {
        var spool = SpoolReport(directory: "/spool", waiting: 0, refused: 1, refusedFiles: ["a.json"])
        spool.refusedPlaces = ["a.json": "a.json"]
        func next() -> String {
            StatusSummary(backends: [backend(QueueReport())], spool: spool, moment: moment).attention.first?.next ?? ""
        }
        let one = "Fix it and drop it again as /spool/new/users/ID/a.json, where ID is the user’s number.\nTo end this notice, "
        #expect(next().contains(one), "\(next())")
        (spool.refused, spool.refusedFiles) = (2, ["a.json", "b.json"])
        spool.refusedPlaces?["b.json"] = "users/5/b.json"
        let several =
            "drop them there again. A file that does not name its user, or names a wrong one, goes to /spool/new/users/ID/, where ID is the user’s number.\nTo"
        #expect(next().contains(several), "\(next())")
    }

    @Test(arguments: [
        ("users/@0190a000-0000-7000-8000-000000000001/a.json", "number, or @ and the id of the entry that creates the user.\nTo"),
        ("users/ann/a.json", "number.\nTo"), ("users/a.json", "number.\nTo"),
    ])
    func noticeDoesNotRepeatAFolderThatIsNoUsersNumber(place: String, end: String) {
        var spool = SpoolReport(directory: "/spool", waiting: 0, refused: 1, refusedFiles: ["a.json"])
        spool.refusedPlaces = ["a.json": place]
        let next = StatusSummary(backends: [backend(QueueReport())], spool: spool, moment: moment).attention.first?.next ?? ""
        #expect(next.contains("drop it again as /spool/new/users/ID/a.json, where ID is the user’s \(end)"), "\(next)")
    }

    /// The sentence and the notice count the same entries and files.
    @Test(
        arguments: [
            (QueueReport(pending: 9), "signedOut", "10 captures are safe here and cannot be sent until ann@lab.test signs in."),
            (QueueReport(pending: 9), "signInRequired", "10 captures are safe here and cannot be sent until ann@lab.test signs in."),
            (
                QueueReport(pending: 9, dead: 1), "signedOut",
                "1 capture has failed or is on hold, and needs your decision. 10 captures are waiting."
            ),
        ] as [(QueueReport, String, String)])
    func unclaimedFileIsCountedInEverySentence(queue: QueueReport, session: String, sentence: String) throws {
        let spool = SpoolReport(directory: "/spool", waiting: 0, refused: 0, unclaimed: 1)
        func check(_ report: BackendReport, _ sentence: String) throws {
            let status = StatusSummary(backends: [report], spool: spool, moment: moment)
            #expect(status.sentence == sentence)
            let notice = try #require(status.attention.first { $0.knownCode == .signInRequired })
            #expect(notice.facts?.count == 10 && notice.text.contains("10 captures are waiting"), "\(notice)")
        }
        let report = backend(queue, session: session)
        try check(report, sentence)
        guard queue.dead == 0 else { return }
        var paused = report
        paused.pause = PauseReport(backend: "breathesafe", reason: "", since: moment.now, until: nil, by: "bob")
        try check(paused, "10 captures are safe here; sending is paused by bob until it is resumed. Not signed in.")
    }

    private static let people = RosterTitle(one: "new person", many: "new people")
    private static let tasks = RosterTitle(one: "task", many: "tasks")
    private static let edits = RosterTitle(one: "person change", many: "person changes")

    /// - Parameter kinds: by state.
    private func mixed(_ backend: BackendReport, _ kinds: [Entry.State: [(RosterTitle, Int)]], files: Int = 0) -> StatusSummary {
        var summary = summary(backend, waiting: files)
        summary.kinds = ["breathesafe": kinds.mapValues { $0.map { EntryKind(title: $0.0, count: $0.1) } }]
        return summary
    }

    @Test func sentencesNameTheKindsOfEntries() {
        let (capture, people, tasks) = (EntryKind.capture, Self.people, Self.tasks)
        let bob = WaitingAccount(account: "2", email: "bob@lab.test", waiting: 2)
        let cases: [(StatusSummary, String)] = [
            (mixed(backend(QueueReport(pending: 1)), [.pending: [(people, 1)]]), "1 new person is on its way."),
            (
                mixed(backend(QueueReport(pending: 3, inflight: 1)), [.pending: [(people, 1), (capture, 2)], .inflight: [(capture, 1)]]),
                "3 captures and 1 new person are on their way."
            ),
            (
                mixed(backend(QueueReport(pending: 2), session: "signedOut"), [.pending: [(people, 2)]], files: 1),
                "2 new people and 1 capture are safe here and cannot be sent until ann@lab.test signs in."
            ),
            (
                mixed(backend(QueueReport(pending: 6)), [.pending: [(people, 1), (capture, 2), (tasks, 3)]]),
                "3 tasks, 2 captures and 1 new person are on their way."
            ),
            (
                mixed(backend(QueueReport(pending: 7)), [.pending: [(people, 1), (capture, 2), (tasks, 3), (Self.edits, 1)]]),
                "7 entries are on their way."
            ),
            // Which of them wait for the other account is unknown.
            (
                mixed(backend(QueueReport(pending: 3), others: [bob]), [.pending: [(people, 1), (capture, 2)]]),
                "1 entry is on its way. 2 entries wait for bob@lab.test to sign in again."
            ),
            (
                mixed(backend(QueueReport(pending: 3), others: [bob]), [.pending: [(people, 3)]]),
                "1 new person is on its way. 2 new people wait for bob@lab.test to sign in again."
            ),
            (
                mixed(backend(QueueReport(pending: 2, dead: 1, blocked: 1)), [.pending: [(capture, 2)], .dead: [(people, 1)]]),
                "1 new person has failed or is on hold, and needs your decision. 2 captures are waiting, 1 of them behind it."
            ),
            (
                mixed(
                    backend(QueueReport(delivered: 3, discarded: 1)), [.delivered: [(capture, 2), (people, 1)], .discarded: [(people, 1)]]),
                "Everything has been delivered: 2 captures and 1 new person, 1 more discarded. Nothing is waiting."
            ),
        ]
        for (summary, sentence) in cases { #expect(summary.sentence == sentence) }
    }

    @Test func noticesNameTheKindsOfEntries() {
        let failed = mixed(backend(QueueReport(held: 2, dead: 1)), [.dead: [(Self.people, 1)], .held: [(Self.tasks, 2)]])
        let texts = failed.attention.map(\.text)
        #expect(texts.first?.hasPrefix("1 new person for breathesafe was refused") == true, "\(texts)")
        #expect(texts.last?.hasPrefix("2 tasks for breathesafe are on hold") == true, "\(texts)")
        let ended = mixed(backend(QueueReport(pending: 2), session: "signInRequired"), [.pending: [(Self.people, 2)]])
        #expect(ended.attention.first?.text.contains("has ended, and 2 new people are waiting") == true)
    }

    @Test func loginPageOfTheNetworkNeedsAttention() throws {
        let caught = summary([report("a", QueueReport(pending: 2), gate: "cooling", cause: "intercepted")])
        let item = try #require(caught.attention.first)
        #expect(item.code == "network-sign-in" && item.backend == "a" && caught.attention.count == 1)
        #expect(
            item.text
                == "Homing cannot send to a, and 2 captures are waiting, because the answer does not come from the backend: Its words (intercepted)."
        )
        #expect(item.next.hasSuffix("open a browser on this station and sign in to the network; then Homing continues automatically."))
    }

    /// The profile has words for the answer, and no other entry failed. Only a person can correct it, so the notice does not wait.
    @Test func entryThatAloneFailsIsNamedInsteadOfTheBackend() throws {
        let words = "BreatheSafe has no user 77. Homing tries again at 05:56; ‘homing fix 000000000001 --user USER’ corrects it."
        var route = CoolingRoute(route: "measurement", since: moment.now, until: moment.now.addingTimeInterval(60), reason: words)
        (route.title, route.entry) = (EntryKind.capture, "00000000-0000-7000-8000-000000000001")
        var open = backend(QueueReport(pending: 2))
        open.coolingRoutes = [route]
        #expect(summary(open).sentence == "2 captures are on their way. breathesafe refused one capture: \(words)")
        let item = try #require(summary(open).attention.first)
        #expect(item.text == "breathesafe refused one capture, and 1 other entry is waiting: \(words)" && item.facts?.count == 1)
        // It is not counted beside itself.
        open.queue.pending = 1
        #expect(summary(open).attention.first?.text == "breathesafe refused one capture: \(words)")
        open.queue.pending = 3
        #expect(summary(open).attention.first?.text == "breathesafe refused one capture, and 2 other entries are waiting: \(words)")
        #expect(item.next == "To see the next step, run: homing why 000000000001")
        var cooling = backend(QueueReport(pending: 2), gate: "cooling", reason: words)
        cooling.gateCause = "refused"
        #expect(
            summary(cooling).sentence == "2 captures are safe here and wait, because the backend refused an entry: \(words)")
    }

    /// A person must correct it. A route that fails as a whole may work again after the pause.
    @Test func refusalOfAnEntryIsReportedDuringAPause() {
        let words = "BreatheSafe has no user 77. Homing tries again once sending resumes."
        let since = moment.now.addingTimeInterval(-600)
        var route = CoolingRoute(route: "measurement", since: since, until: moment.now, reason: words)
        (route.title, route.entry) = (RosterTitle(one: "measurement", many: "measurements"), "00000000-0000-7000-8000-000000000001")
        var report = backend(QueueReport(pending: 2), gate: "paused")
        report.pause = PauseReport(backend: "breathesafe", reason: "", since: moment.now, until: nil, by: "ann")
        report.coolingRoutes = [route, CoolingRoute(route: "fit_test", since: since, until: moment.now, reason: "R.")]
        let summary = summary(report)
        let pause = "2 captures are safe here; sending is paused by ann until it is resumed."
        #expect(summary.sentence == "\(pause) breathesafe refused one measurement: \(words)")
        #expect(summary.attention.map(\.code) == ["route-failing"])
        #expect(summary.attention.first?.next == "To see the next step, run: homing why 000000000001")
    }

    @Test func namesSignInAccountOnlyIfUnique() throws {
        func waiting(_ name: String, _ email: String) -> BackendReport {
            report(name, QueueReport(pending: 1), session: "signedOut", email: nil, gate: "signInRequired", others: [(email, 1)])
        }
        let ann = summary([waiting("a", "ann@lab.test"), waiting("b", "ann@lab.test")])
        #expect(ann.sentence == "2 captures are safe here and cannot be sent until ann@lab.test signs in at a and b.")
        #expect(ann.withoutNames.sentence == "2 captures are safe here and cannot be sent until an account signs in at a and b.")
        #expect(ann.attention.map(\.next).first == "To sign in as ann@lab.test, run: homing login --backend a")
        let both = summary([waiting("a", "ann@lab.test"), waiting("b", "bob@lab.test")])
        #expect(both.sentence == "2 captures are safe here and cannot be sent until an account signs in.")
    }

    @Test func otherAccountNeedsSignOutFirst() throws {
        var keyed = report("keyed", QueueReport(pending: 1), others: [("bob@lab.test", 1)])
        keyed.signInCommand = "homing login --backend keyed --token-stdin"
        let item = try #require(summary([report("a", QueueReport()), keyed]).attention.first)
        #expect(item.code == "other-account")
        #expect(
            item.next
                == "Homing sends it only as bob@lab.test.\nTo sign ann@lab.test out, run: homing logout --backend keyed\nThen to sign in as bob@lab.test, run: homing login --backend keyed --token-stdin"
        )
    }

    @Test func mergesEqualReasonsOfTwoBackends() {
        func cooling(_ name: String, _ words: String) -> BackendReport {
            var report = report(name, QueueReport(pending: 1), gate: "cooling", cause: "offline")
            report.gateReason = words
            return report
        }
        #expect(
            summary([cooling("a", "No answer."), cooling("b", "No answer.")]).sentence
                == "2 captures for a and b are safe here and wait for the network: No answer.")
        #expect(
            summary([cooling("a", "No answer."), cooling("b", "Cut.")]).sentence
                == "2 captures for a and b are safe here and wait for the network: No answer. Cut.")
        let paused = ["a", "b"].map { name in
            var paused = report(name, QueueReport(pending: 1), gate: "paused")
            paused.pause = PauseReport(backend: name, reason: "", since: moment.now, until: nil, by: "ann")
            return paused
        }
        #expect(
            summary(paused).sentence == "2 captures are safe here; sending to a and b is paused by ann until it is resumed.")
        let others = ["a", "b"].map { report($0, QueueReport(pending: 1), others: [("bob@lab.test", 1)]) }
        #expect(
            summary(others).sentence == "2 captures wait for bob@lab.test to sign in again at a and b; everything else has been delivered.")
    }

    /// Signing in does not send them.
    @Test(arguments: [
        ("signedIn", 0, "1 capture waits for an address that breathesafe no longer has; everything else has been delivered."),
        ("signedIn", 2, "2 captures are on their way. 1 capture waits for an address that breathesafe no longer has."),
        ("signedOut", 0, "1 capture waits for an address that breathesafe no longer has; everything else has been delivered."),
    ])
    func reportsCapturesWaitingForFormerAddress(session: String, own: Int, sentence: String) {
        var report = backend(QueueReport(pending: 1 + own), session: session)
        report.formerAddress = "https://old:443"
        report.waitingForFormerAddress = 1
        let summary = summary(report)
        #expect(summary.sentence == sentence)
        #expect(summary.attention.map(\.code) == ["other-address"])
        #expect(summary.attention.first?.text.hasPrefix("1 capture was accepted for https://old:443") == true)
    }
}
