import ControlAPI
import Foundation
import Testing

@testable import homing

@Suite struct EntryTextTests {
    private let text = EntryText(style: .plain, times: Sample.times)

    @Test func tableDescribesEachState() {
        var waiting = Sample.entry(14)
        waiting.behind = Sample.id(13)
        let page = EntryPage(
            entries: [
                Sample.entry(1, "delivered", remoteID: "811"), Sample.entry(2, "dead", lastStatus: 422, lastError: "too\u{1B}small"),
                Sample.entry(12, "held", hold: "crashes"), Sample.entry(13, due: Sample.now.addingTimeInterval(300)),
                waiting,
            ], next: 14, total: 5000)
        #expect(
            text.table(page, EntryQuery(after: 0)) == """
                 #  ID            STATE      CAPTURED  KIND            SIZE  ABOUT
                 1  3f2a91c04b01  delivered  14:12     measurement  17.4 kB  server id 811
                 2  3f2a91c04b02  failed     14:12     measurement  17.4 kB  too small
                12  3f2a91c04b0c  on hold    14:12     measurement  17.4 kB  the daemon crashed while sending it
                13  3f2a91c04b0d  waiting    14:12     measurement  17.4 kB  next try 14:20
                14  3f2a91c04b0e  waiting    14:12     measurement  17.4 kB  after 3f2a91c04b0d
                5 of 5,000 shown. For the next, add ‘--after 14’.
                """)
    }

    @Test func tableNamesTheEntryThatReplacedADiscardedOne() {
        var entry = Sample.entry(1, "discarded")
        entry.supersededBy = Sample.id(3)
        #expect(text.table(EntryPage(entries: [entry], next: nil)).hasSuffix("17.4 kB  replaced by 3f2a91c04b03"))
    }

    private static let people = EntryPage(
        entries: [
            Sample.entry(1, "delivered", remoteID: "811", subject: Sample.subject()),
            Sample.entry(2, "dead", lastStatus: 422, lastError: "breathesafe has no such user at all", subject: Sample.subject("77", nil)),
            Sample.entry(
                12, "held", hold: "crashes", subject: Sample.subject("31", "Anna Maximiliana Example-Featherstonehaugh")),
        ], next: nil)

    private func table(_ page: EntryPage, width: Int) -> String {
        EntryText(style: .plain, times: Sample.times, width: width).table(page)
    }

    @Test func narrowTableShowsStateAndPersonOfEachEntry() {
        #expect(
            table(Self.people, width: 40) == """
                 #  ID      STATE      FOR
                 1  c04b01  delivered  Anna Example (28)
                 2  c04b02  failed     77
                12  c04b0c  on hold    Anna Maximi… (31)
                """)
        #expect(
            table(Self.people, width: 80) == """
                 #  ID            STATE      CAPTURED  FOR                       ABOUT
                 1  3f2a91c04b01  delivered  14:12     Anna Example (28)         server id 811
                 2  3f2a91c04b02  failed     14:12     77                        breathesafe ha…
                12  3f2a91c04b0c  on hold    14:12     Anna Maximiliana E… (31)  the daemon cra…
                """)
    }

    @Test func wideTableShowsEveryColumn() {
        #expect(
            table(Self.people, width: 120) == """
                 #  ID            STATE      CAPTURED  KIND         FOR                          SIZE  ABOUT
                 1  3f2a91c04b01  delivered  14:12     measurement  Anna Example (28)         17.4 kB  server id 811
                 2  3f2a91c04b02  failed     14:12     measurement  77                        17.4 kB  breathesafe has no such user at …
                12  3f2a91c04b0c  on hold    14:12     measurement  Anna Maximiliana E… (31)  17.4 kB  the daemon crashed while sending…
                """)
    }

    @Test(arguments: 40...120) func tableFitsItsWidth(width: Int) {
        var page = Self.people
        page.entries.append(Sample.entry(4_000_000, "inflight", backend: "lists-2026", subject: Self.wide))
        page.total = 5000
        page.entries.append(Sample.entry(4_000_001, subject: Sample.subject(String(repeating: "0190a1b2", count: 30), "Eve")))
        let lines = table(page, width: width).split(separator: "\n").map(String.init)
        for line in lines { #expect(line.columns <= width, "\(line)") }
        #expect(lines[1].contains("delivered") && lines[3].contains("… (31)") && lines[4].contains("… (5)"))
    }

    @Test func tableShowsBackendColumnForSeveralBackends() {
        let page = EntryPage(entries: [Sample.entry(1, backend: "one"), Sample.entry(2, backend: "two")], next: nil)
        #expect(text.table(page).contains("CAPTURED  BACKEND  KIND"))
    }

    @Test func entriesAreNamedInPlainWords() {
        var entry = Sample.entry(1)
        entry.route = "edit_fit_test"
        entry.title = RosterTitle(one: "fit test change", many: "fit test changes")
        let page = EntryPage(entries: [entry], next: nil)
        let texts = [text.table(page), text.line(entry), text.detail(EntryDetail(entry: entry, attempts: [])), EntryTally.text([entry])]
        for text in texts { #expect(!text.contains("_") && text.contains("fit test change"), "\(text)") }
    }

    @Test func anEmptyListSaysSo() {
        let none = EntryPage(entries: [], next: nil)
        #expect(text.table(none) == "There are no entries.")
        #expect(text.table(none, EntryQuery(user: "5")) == "There are no matching entries.")
        #expect(text.table(none, EntryQuery(state: "dead", since: Sample.now)) == "No matching entries have failed.")
    }

    @Test(arguments: [
        ("pending", "No entries are waiting."), ("inflight", "No entries are being sent."), ("held", "No entries are on hold."),
        ("dead", "No entries have failed."), ("delivered", "No entries have been delivered."),
        ("discarded", "No entries have been discarded."),
    ]) func anEmptyListNamesTheState(state: String, sentence: String) {
        #expect(text.table(EntryPage(entries: [], next: nil), EntryQuery(state: state)) == sentence)
    }

    @Test func listSaysHowManyOfTheEntriesItShows() {
        func last(_ page: EntryPage, _ query: EntryQuery) -> String? {
            text.table(page, query).split(separator: "\n").last.map(String.init)
        }
        let entries = [Sample.entry(1), Sample.entry(2)]
        let all = EntryPage(entries: entries, next: 2)
        #expect(last(all, EntryQuery(after: 0))?.contains("shown") == false)
        #expect(
            last(EntryPage(entries: entries, next: nil, total: 1234), EntryQuery())
                == "2 of 1,234 shown, the newest. To begin with the oldest, add ‘--after 0’.")
        #expect(
            last(EntryPage(entries: entries, next: 2, total: 10_000, totalIsLeast: true), EntryQuery(after: 0))
                == "2 of more than 10,000 shown. For the next, add ‘--after 2’.")
        #expect(last(EntryPage(entries: entries, next: nil, total: 3), EntryQuery(after: 1)) == "2 of 3 shown.")
    }

    @Test(arguments: [40, 80, 120]) func detailFitsItsWidth(width: Int) {
        let attempt = AttemptSummary(
            startedAt: Sample.ago(minutes: 2000), endedAt: Sample.now, verdict: "unauthorized", counted: true, status: 401,
            message: String(repeating: "名e\u{301}", count: 70))
        let words = "zu klein: " + String(repeating: "名", count: 70)
        let entry = Sample.entry(2, "dead", lastStatus: 422, lastError: words, subject: Self.wide)
        let detail = EntryDetail(entry: entry, attempts: [attempt])
        let lines = EntryText(style: .plain, times: Sample.times, width: width).detail(detail).split(separator: "\n").map(String.init)
        for line in lines { #expect(line.columns <= width, "\(line)") }
        // Nothing of the facts is cut.
        #expect(lines.joined().count { $0 == "名" } >= 140)
        #expect(lines.contains { $0.trimmingCharacters(in: .whitespaces).hasSuffix(entry.id) })
    }

    private static let wide = Sample.subject("5", String(repeating: "名", count: 70))

    @Test func detailListsAttempts() {
        let attempt = AttemptSummary(
            startedAt: Sample.ago(minutes: 2), endedAt: Sample.now, verdict: "permanent", counted: true, status: 422, message: "too small")
        let detail = EntryDetail(entry: Sample.entry(2, "dead", lastStatus: 422, lastError: "too small"), attempts: [attempt])
        #expect(
            text.detail(detail) == """
                id           0190a1b2-c3d4-7e5f-8a9b-3f2a91c04b02
                number       2
                state        failed: refused
                kind         measurement at breathesafe
                account      5
                lane         users/5
                captured     3 minutes ago (14:12)
                accepted     3 minutes ago (14:12)
                size         17.4 kB
                attempts     1 counted, 2 not counted
                last answer  422: too small

                TRIED     RESULT   COUNTED  STATUS  MESSAGE
                14:13:00  refused  yes      422     too small
                """)
    }

    @Test(
        arguments: [
            ("dead", nil, 3, 500, "failed after 3 attempts"), ("dead", nil, 0, 422, "failed: refused"),
            ("held", "unknownOutcome", 0, 500, "on hold: may already have taken effect"), ("pending", nil, 0, nil, "waiting"),
            ("inflight", nil, 0, nil, "being sent"),
        ] as [(String, String?, Int, Int?, String)])
    func eachStateHasPlainWords(state: String, hold: String?, attempts: Int, status: Int?, words: String) {
        var entry = Sample.entry(1, state, hold: hold, lastStatus: status)
        entry.attempts = attempts
        #expect(entry.stateWords == words)
        // As in lists and in ‘--state’.
        #expect(entry.stateWords.hasPrefix(Words.state(state)))
    }

    @Test func detailNamesEntryAhead() {
        let behind = EntryDetail(entry: Sample.entry(2), attempts: [], fields: ["user_id": "5"], behind: Sample.id(1))
        #expect(text.detail(behind).contains("next try  after entry 3f2a91c04b01"))
        #expect(text.detail(behind).contains("fields    user_id 5"))
        #expect(text.detail(EntryDetail(entry: Sample.entry(2), attempts: [])).contains("next try  now"))
    }

    /// The error of its last try is no reason to wait then.
    @Test func pauseIsTheReasonToWait() {
        var entry = Sample.entry(2, due: Sample.now.addingTimeInterval(300), lastStatus: 503, lastError: "busy")
        entry.behind = Sample.id(1)
        func about() -> String { text.table(EntryPage(entries: [entry], next: nil)) }
        #expect(about().hasSuffix("17.4 kB  after 3f2a91c04b01"))
        entry.paused = true
        #expect(about().hasSuffix("17.4 kB  sending is paused"))
        let detail = text.detail(EntryDetail(entry: entry, attempts: [], behind: entry.behind))
        #expect(detail.contains(/next try +when sending resumes\n/) && detail.contains(/last answer +503: busy/))
    }

    @Test func detailNamesPerson() {
        let detail = EntryDetail(entry: Sample.entry(2, "delivered", subject: Sample.subject()), attempts: [])
        #expect(text.detail(detail).contains("\nfor       Anna Example (28)\n"))
    }

    @Test func retryNamesPeople() {
        let entry = Sample.entry(2, "dead", subject: Sample.subject())
        #expect(RetryText.withoutLooking([entry]).hasPrefix("1 entry for Anna Example (28) may already have taken effect"))
    }

    @Test func detailSaysWhatAnEntryNeedsAndUntilWhenItCanBeBroughtBack() {
        var entry = Sample.entry(2, "held", hold: "discarding")
        (entry.needs, entry.supersededBy, entry.discardAt) = (Sample.id(1), Sample.id(3), Sample.ago(minutes: -10))
        let detail = text.detail(EntryDetail(entry: entry, attempts: []))
        #expect(detail.contains(/needs +entry 3f2a91c04b01\n/))
        #expect(detail.contains(/replaced +by entry 3f2a91c04b03\n/))
        #expect(detail.contains(/discarded +for good in 10 minutes \(14:25\)\nundo +an administrator runs: homing undo 3f2a\S+02\n/))
    }

    @Test func detailNamesAlteredValue() {
        let detail = EntryDetail(entry: Sample.entry(2, "delivered"), attempts: [], altered: "/a/0")
        #expect(text.detail(detail).contains("altered   the server stored a different value at /a/0"))
    }

    @Test func anEventIsOneLine() {
        let line = EventText(times: Sample.times).line(Sample.event(3, detail: ["status": "201", "remote": "8\n1"]))
        #expect(line == "14:15:00  delivered       3f2a91c04b01  breathesafe  remote=8 1  status=201")
    }

    @Test func eventNamesPerson() {
        var event = Sample.event(3)
        event.subject = Sample.subject()
        #expect(
            EventText(times: Sample.times).line(event) == "14:15:00  delivered       3f2a91c04b01  for Anna Example (28)  breathesafe")
    }

    @Test func sessionEventNamesTheAccount() {
        func line(_ detail: [String: String]) -> String {
            var event = Sample.event(3, "signedIn", detail: detail)
            event.entry = nil
            return EventText(times: Sample.times).line(event)
        }
        #expect(line(["email": "anna@clinic.example"]).hasSuffix("signedIn        breathesafe  email=anna@clinic.example"))
        #expect(line([:]).hasSuffix("signedIn        breathesafe  account=5"))
    }
}
