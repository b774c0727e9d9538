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
                 #  ID            STATE      CAPTURED  ROUTE        LANE        SIZE  ABOUT
                 1  3f2a91c04b01  delivered  14:12     measurement  users/5  17.4 kB  server id 811
                 2  3f2a91c04b02  failed     14:12     measurement  users/5  17.4 kB  too small
                12  3f2a91c04b0c  on hold    14:12     measurement  users/5  17.4 kB  the daemon crashed while send…
                13  3f2a91c04b0d  waiting    14:12     measurement  users/5  17.4 kB  next try 14:20
                There are more: add --after 13
                """)
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
