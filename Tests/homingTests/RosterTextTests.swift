import ControlAPI
import Foundation
import Testing

@testable import homing

@Suite struct RosterTextTests {
    private static let sentence = "4 people of anna@clinic.example at breathesafe, read 3 minutes ago."

    private func text(_ width: Int) -> RosterText { RosterText(style: .plain, times: Sample.times, width: width) }

    private func page(_ rows: [(String, String)], _ sentence: String = Self.sentence, next: String? = nil) -> RosterPage {
        RosterPage(
            roster: Sample.roster(sentence: sentence), rows: rows.map { RosterRow(id: $0.1, label: $0.0, values: ["/id": "999"]) },
            matching: 4213, next: next)
    }

    @Test(arguments: [80, 120]) func showsNamesAndIDsThenTheSentence(width: Int) {
        let people = page([("Anna Example", "28"), ("Edit Me", "26"), ("Eve Lab", "7"), ("Zoë Quiroga", "31")])
        #expect(
            text(width).page(people) == """
                NAME          ID
                Anna Example  28
                Edit Me       26
                Eve Lab        7
                Zoë Quiroga   31
                4 people of anna@clinic.example at breathesafe, read 3 minutes ago.
                """)
    }

    @Test func marksRowsThatAreNewOrBeingDeleted() {
        let rows = [
            RosterRow(id: "@\(Sample.id(9))", label: "Nora New", values: [:], pending: "new", deletion: Sample.id(10)),
            RosterRow(id: "@\(Sample.id(11))", label: "", values: [:], pending: "new"),
            RosterRow(id: "28", label: "Anna Example", values: [:], deletion: Sample.id(12)),
        ]
        let lines = text(80).page(RosterPage(roster: Sample.roster(), rows: rows, matching: 3, next: nil)).split(separator: "\n")
        #expect(lines[1].hasPrefix("Nora New (new, being deleted)  ") && lines[2].hasPrefix("new person  "))
        #expect(lines[3].hasPrefix("Anna Example (being deleted)  "))
    }

    @Test func cutsNamesAndWrapsTheSentenceOnANarrowTerminal() {
        let people = page(
            [("Anna Maximiliana Example-Featherstonehaugh", "28"), ("Eve Lab", "7")],
            "The list changed while Homing read it, so people may be missing. To read it again, run ‘homing people --refresh’.")
        #expect(
            text(40).page(people) == """
                NAME                                  ID
                Anna Maximiliana Example-Feathersto…  28
                Eve Lab                                7
                The list changed while Homing read it,
                so people may be missing. To read it
                again, run ‘homing people --refresh’.
                """)
    }

    @Test(arguments: [40, 60, 80, 120]) func noLineIsWiderThanTheTerminal(width: Int) {
        let wide = String(repeating: "名", count: 70)
        let combining = String(repeating: "e\u{301}", count: 150)
        let people = page(
            [(wide, "28"), (combining, "0190a1b2-c3d4-7e5f-8a9b"), ("x\u{202E}y\nz", "7")],
            String(repeating: "words of a sentence ", count: 20), next: "512")
        let lines = text(width).page(people).split(separator: "\n").map(String.init)
        for line in lines { #expect(line.columns <= width, "\(line)") }
        #expect(lines[3].hasPrefix("x\u{FFFD}y z") && lines[1].contains("…") && lines[2].hasSuffix("  0190a1b2-c3d4-7e5f-8a9b"))
    }

    @Test func neverCutsIDs() {
        let ids = ["7", "8"].map { String(repeating: "1", count: 60) + $0 }
        let lines = text(40).page(page(ids.map { ("Anna Maximiliana", $0) })).split(separator: "\n")
        let whole = ids.flatMap { ["Anna Maximiliana", "  \($0.prefix(38))", "  \($0.dropFirst(38))"] }
        #expect(Array(lines.prefix(7).map(String.init)) == ["NAME, ID"] + whole)
        let uuid = text(40).page(page([("Anna Maximiliana", Sample.id(1))])).split(separator: "\n")
        #expect(uuid[1] == "Anna Maximiliana" && uuid[2] == "  \(Sample.id(1))")
    }

    @Test func showsOnlyTheSentenceWithoutRows() {
        let sentence = "No person matches ‘bob’ among 4 people, read 3 minutes ago."
        #expect(text(80).page(page([], sentence)) == sentence)
    }

    @Test func saysHowToSeeTheNextPage() {
        let lines = text(80).page(page([("Anna", "28")], next: "28")).split(separator: "\n")
        #expect(lines.last == "1 of 4213 people are shown. For the next, add ‘--after 28’.")
        #expect(text(80).page(page([("Anna", "28")], next: "$(reboot)")).hasSuffix("add ‘--after '$(reboot)'’."))
    }

    @Test func listsEveryListWithItsAge() {
        var failing = Sample.roster("unread", backend: "clinic")
        failing.failure = "The backend does not answer."
        var changing = Sample.roster(backend: "lab")
        changing.state = "incomplete"
        let list = RosterList(rosters: [Sample.roster(), Sample.roster("signedOut", backend: "b"), failing, changing])
        #expect(
            text(80).lists(list) == """
                LIST    AT           ROWS  READ
                people  breathesafe     4  3 minutes ago (14:12)
                people  b               –  signed out
                people  clinic          –  not yet: The backend does not answer.
                people  lab             4  3 minutes ago (14:12), incomplete
                """)
        #expect(text(80).lists(RosterList(rosters: [])) == "No backend has a list that Homing keeps.")
    }

    @Test(arguments: [40, 80, 120]) func listsFitTheirWidth(width: Int) {
        var failing = Sample.roster("unread", backend: String(repeating: "b", count: 40))
        failing.failure = String(repeating: "名e\u{301}", count: 70)
        var large = Sample.roster(backend: "lists-2026")
        (large.count, large.title.many) = (100_000, String(repeating: "名", count: 30))
        for line in text(width).lists(RosterList(rosters: [failing, large])).split(separator: "\n").map(String.init) {
            #expect(line.columns <= width, "\(line)")
        }
    }

    @Test func saysWhyAListIsNotRefreshed() {
        var report = Sample.roster()
        #expect(text(80).notRefreshed(report) == nil)
        report.failure = "The backend does not answer."
        #expect(
            text(80).notRefreshed(report)
                == "Not refreshed: The backend does not answer. The list below was read 3 minutes ago (14:12).")
        report.reading = true
        #expect(
            text(80).notRefreshed(report)
                == "Homing is still reading the list from breathesafe. The list below was read 3 minutes ago (14:12).")
        report.readAt = nil
        #expect(text(80).notRefreshed(report) == nil)
    }

    @Test func showsNewRowsWithTheirEntries() {
        let new = RosterRow(id: "@\(Sample.id(9))", label: "Anna Maximiliana Example", values: [:], pending: "new")
        var unnamed = new
        unnamed.label = ""
        let rows = [new, unnamed, RosterRow(id: "28", label: "Anna Example", values: [:])]
        let page = RosterPage(roster: Sample.roster(sentence: "4 people."), rows: rows, matching: 3, next: nil)
        #expect(
            text(80).page(page) == """
                NAME                                       ID
                Anna Maximiliana Example (new)  @3f2a91c04b09
                new person                      @3f2a91c04b09
                Anna Example                               28
                4 people.
                """)
        #expect(text(40).page(page).contains("\nAnna Maximiliana E… (new)  @3f2a91c04b09\n"))
    }
}
