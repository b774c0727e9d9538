import ControlAPI
import Foundation
import Testing

@testable import homing

@Suite struct EntryTextTests {
    private let text = EntryText(style: .plain, times: Sample.times)

    @Test func tableDescribesEachState() {
        let page = EntryPage(
            entries: [
                Sample.entry(1, "delivered", remoteID: "811"), Sample.entry(2, "dead", lastStatus: 422, lastError: "too\u{1B}small"),
                Sample.entry(12, "held", hold: "poison"), Sample.entry(13, due: Sample.now.addingTimeInterval(300)),
            ], next: 13)
        #expect(
            text.table(page, state: nil) == """
                 #  ID            STATE      CAPTURED  ROUTE           SIZE  ABOUT
                 1  3f2a91c04b01  delivered  14:12     measurement  17.4 kB  server id 811
                 2  3f2a91c04b02  failed     14:12     measurement  17.4 kB  too small
                12  3f2a91c04b0c  on hold    14:12     measurement  17.4 kB  the daemon crashed while sending it
                13  3f2a91c04b0d  waiting    14:12     measurement  17.4 kB  next try 14:20
                There are more: add --after 13
                """)
    }

    private static let people = EntryPage(
        entries: [
            Sample.entry(1, "delivered", remoteID: "811", subject: Sample.subject()),
            Sample.entry(2, "dead", lastStatus: 422, lastError: "breathesafe has no such user at all", subject: Sample.subject("77", nil)),
            Sample.entry(
                12, "held", hold: "poison", subject: Sample.subject("31", "Anna Maximiliana Example-Featherstonehaugh")),
        ], next: nil)

    private func table(_ page: EntryPage, width: Int) -> String {
        EntryText(style: .plain, times: Sample.times, width: width).table(page, state: nil)
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
                 #  ID            STATE      CAPTURED  ROUTE        FOR                          SIZE  ABOUT
                 1  3f2a91c04b01  delivered  14:12     measurement  Anna Example (28)         17.4 kB  server id 811
                 2  3f2a91c04b02  failed     14:12     measurement  77                        17.4 kB  breathesafe has no such user at …
                12  3f2a91c04b0c  on hold    14:12     measurement  Anna Maximiliana E… (31)  17.4 kB  the daemon crashed while sending…
                """)
    }

    @Test(arguments: 40...120) func tableFitsItsWidth(width: Int) {
        var page = Self.people
        let wide = Sample.subject("5", String(repeating: "名", count: 70))
        page.entries.append(Sample.entry(4_000_000, "inflight", backend: "lists-2026", subject: wide))
        page.entries.append(Sample.entry(4_000_001, subject: Sample.subject(String(repeating: "0190a1b2", count: 30), "Eve")))
        let lines = table(page, width: width).split(separator: "\n").map(String.init)
        for line in lines { #expect(line.columns <= width, "\(line)") }
        #expect(lines[1].contains("delivered") && lines[3].contains("… (31)") && lines[4].contains("… (5)"))
    }

    @Test func tableShowsBackendColumnForSeveralBackends() {
        let page = EntryPage(entries: [Sample.entry(1, backend: "one"), Sample.entry(2, backend: "two")], next: nil)
        #expect(text.table(page, state: nil).contains("CAPTURED  BACKEND  ROUTE"))
    }

    @Test func anEmptyListSaysSo() {
        #expect(text.table(EntryPage(entries: [], next: nil), state: nil) == "No entries found.")
        #expect(text.table(EntryPage(entries: [], next: nil), state: "dead") == "No failed entries found.")
    }

    @Test func detailListsAttempts() {
        let attempt = AttemptSummary(
            startedAt: Sample.ago(minutes: 2), endedAt: Sample.now, verdict: "permanent", counted: true, status: 422, message: "too small")
        let detail = EntryDetail(entry: Sample.entry(2, "dead", lastStatus: 422, lastError: "too small"), attempts: [attempt])
        #expect(
            text.detail(detail) == """
                id           0190a1b2-c3d4-7e5f-8a9b-3f2a91c04b02
                number       2
                state        refused
                route        measurement at breathesafe
                account      5
                lane         users/5
                captured     3 minutes ago (14:12)
                accepted     3 minutes ago (14:12)
                size         17.4 kB
                attempts     1 counted, 2 not counted
                last answer  422: too small

                TRIED     RESULT     COUNTED  STATUS  MESSAGE
                14:13:00  permanent  yes      422     too small
                """)
    }

    @Test(
        arguments: [
            ("dead", nil, 3, 500, "failed after 3 attempts"), ("dead", nil, 0, 422, "refused"),
            ("held", "unknownOutcome", 0, 500, "on hold: may already have taken effect"), ("pending", nil, 0, nil, "waiting"),
            ("inflight", nil, 0, nil, "being sent"),
        ] as [(String, String?, Int, Int?, String)])
    func eachStateHasPlainWords(state: String, hold: String?, attempts: Int, status: Int?, words: String) {
        var entry = Sample.entry(1, state, hold: hold, lastStatus: status)
        entry.attempts = attempts
        #expect(EntryText.state(entry) == words)
    }

    @Test func detailNamesEntryAhead() {
        let behind = EntryDetail(entry: Sample.entry(2), attempts: [], fields: ["user_id": "5"], behind: Sample.id(1))
        #expect(text.detail(behind).contains("next try  after entry \(Sample.id(1))"))
        #expect(text.detail(behind).contains("fields    user_id 5"))
        #expect(text.detail(EntryDetail(entry: Sample.entry(2), attempts: [])).contains("next try  now"))
    }

    @Test func detailNamesPerson() {
        let detail = EntryDetail(entry: Sample.entry(2, "delivered", subject: Sample.subject()), attempts: [])
        #expect(text.detail(detail).contains("\nfor       Anna Example (28)\n"))
    }

    @Test func discardNamesPeople() {
        let entry = Sample.entry(2, "dead", subject: Sample.subject())
        let question = DiscardText(times: Sample.times).before([entry])
        #expect(question.contains("\n  #2 3f2a91c04b02, measurement for Anna Example (28), 17.4 kB"))
        #expect(DiscardText.done([entry]) == "1 entry for Anna Example (28) was discarded and will never be sent.")
        let both = [entry, Sample.entry(3, "dead", subject: Sample.subject("6", "Ben Sample"))]
        #expect(DiscardText.done(both).hasPrefix("2 entries for Anna Example (28) and Ben Sample (6) were discarded"))
        #expect(RetryText.withoutLooking([entry]).hasPrefix("1 entry for Anna Example (28) may already have taken effect"))
        let unknown = [entry, Sample.entry(3, "dead", subject: Sample.subject("77", nil))]
        #expect(DiscardText.done(unknown).hasPrefix("2 entries were discarded"))
    }

    @Test func detailNamesAlteredValue() {
        let detail = EntryDetail(entry: Sample.entry(2, "delivered"), attempts: [], altered: "/a/0")
        #expect(text.detail(detail).contains("altered   the server stored something else at /a/0"))
    }

    @Test func discardPromptListsEntries() {
        let discard = DiscardText(times: Sample.times)
        #expect(
            discard.before([Sample.entry(2, "dead")]) == """
                1 entry will be discarded for good. Homing will not send it, and this cannot be undone:
                  #2 3f2a91c04b02, measurement, 17.4 kB, captured 3 minutes ago (14:12), failed after 1 attempt
                """)
        #expect(discard.before((1...23).map { Sample.entry($0) }).hasSuffix("\n  and 3 more"))
        #expect(DiscardText.done([Sample.entry(2, "dead")]) == "1 entry was discarded and will never be sent.")
    }

    /// The text must not claim that an uncertain entry was never sent.
    @Test func discardOfUncertainEntryWarnsOfPossibleDelivery() {
        var doubtful = Sample.entry(2, "held")
        doubtful.uncertain = true
        #expect(
            DiscardText.done([doubtful])
                == "1 entry was discarded and will not be sent again. "
                + "It may already have reached the backend; discarding removes nothing there.")
        #expect(DiscardText.done([doubtful, Sample.entry(3)]).contains("1 of them may already have reached the backend"))
        #expect(
            DiscardText(times: Sample.times).before([doubtful]).hasSuffix(
                "An earlier attempt may have reached the backend; discarding removes nothing there.")
        )
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
