import ControlAPI
import SyncModel
import Testing

@testable import Outbox
@testable import SyncDaemon

@Suite struct RosterSelectionTests {
    /// As a stored list has them.
    private static func cached(_ people: KeyValuePairs<String, String>) -> [CachedRow] {
        let rows = people.map { label, id in
            SyncModel.RosterRow(id: RosterID(id), label: label, folded: label.folded, kept: [])
        }
        var found: [CachedRow] = []
        CachedPage(etag: nil, rows: rows).forEachRow { row in
            found.append(row)
            return true
        }
        return found
    }

    /// In the order of the server.
    private static let rows = cached([
        "Zoë Quiroga": "31", "Eve Lab": "7", "Anna Example": "28", "Edit Me": "26", "anna example": "3",
    ])

    private func selection(_ query: RosterQuery, after: CachedRow? = nil) -> RosterSelection {
        let selection = RosterSelection(query)
        if let after { selection.start(after: after) }
        for row in Self.rows { selection.take(row) }
        return selection
    }

    private func ids(_ query: RosterQuery) -> [String] { selection(query).rows.map(\.id.rawValue) }

    @Test func rowsAreInOrderOfTheirNamesThenIDs() {
        #expect(ids(RosterQuery(resource: "r")) == ["28", "3", "26", "7", "31"])
    }

    @Test func hiddenRowsAreLeftOutAndKnown() {
        let selection = RosterSelection(RosterQuery(resource: "r", find: "an"), except: ["28", "7", "99"])
        for row in Self.rows { selection.take(row) }
        #expect(selection.rows.map(\.id) == ["3"] && selection.matching == 1 && selection.leftOut == ["28", "7"])
    }

    @Test(arguments: [
        ("anna", ["28", "3"]), ("ZOE", ["31"]), ("lab", ["7"]), ("3", ["3", "31"]), ("2", ["28", "26"]), ("bob", []), ("8", []),
        ("", ["28", "3", "26", "7", "31"]),
    ])
    func findsPartsOfNamesAndBeginningsOfIDs(find: String, expected: [String]) {
        #expect(ids(RosterQuery(resource: "r", find: find)) == expected)
    }

    /// In ASCII by their bytes, otherwise by their characters.
    @Test(arguments: [
        ("Anna Example", "exam", true), ("Anna Example", "anna example", true), ("Anna Example", "anna examples", false),
        ("Anna Example", "e", true), ("Al", "ala", false), ("Aanna", "anna", true), ("Ann", "änn", true), ("Жанна", "АННА", true),
        ("Жанна", "anna", false), ("\u{D55C} Example", "\u{1112}\u{1161}\u{11AB}", true), ("\u{D55C} Example", "exam", true),
        ("\u{1112}\u{1161}\u{11AB} Example", "\u{D55C} ex", true), ("李 Example", "李李", false),
        ("Sean O\u{2019}Brien", "obrien", true), ("Sean O'Brien", "O\u{2019}B", true), ("Sean Obrien", "o'brien", true),
    ])
    func findsTextInAnyScript(label: String, find: String, isFound: Bool) {
        let selection = RosterSelection(RosterQuery(resource: "r", find: find))
        #expect(selection.matches("5", label.folded) == isFound)
    }

    @Test func wholeNameFitsWithAnyApostropheButNotWithoutOne() {
        for (label, isFound) in [("sean o\u{2019}neil", true), ("Sean O'Neil", true), ("Sean ONeil", false)] {
            let selection = RosterSelection(RosterQuery(resource: "r", label: label))
            #expect(selection.matches("5", "Sean O\u{2BC}Neil".folded) == isFound, "\(label)")
        }
    }

    @Test func findsWholeNamesAndIDs() {
        #expect(ids(RosterQuery(resource: "r", label: "ANNA  Example")) == ["28", "3"])
        #expect(ids(RosterQuery(resource: "r", label: "Anna")).isEmpty)
        #expect(ids(RosterQuery(resource: "r", ids: ["31", "7", "999"])) == ["7", "31"])
        #expect(ids(RosterQuery(resource: "r", find: "anna", ids: ["3", "7"])) == ["3"])
    }

    @Test(arguments: 1...6) func pagesTogetherHaveEveryRowOnce(limit: Int) throws {
        var (found, after): ([String], CachedRow?) = ([], nil)
        while true {
            let page = selection(RosterQuery(resource: "r", limit: limit), after: after)
            #expect(page.rows.count <= limit && page.matching == Self.rows.count)
            found += page.rows.map(\.id.rawValue)
            guard let next = page.next else { break }
            let last = try #require(Self.rows.first { $0.id == next })
            after = last
        }
        #expect(found == ["28", "3", "26", "7", "31"])
    }
}
