import ControlAPI
import SyncModel
import Testing

@testable import SyncDaemon

@Suite struct RosterSelectionTests {
    private static func row(_ label: String, _ id: String) -> SyncModel.RosterRow {
        SyncModel.RosterRow(id: RosterID(id), label: label, folded: label.folded, kept: [])
    }

    /// In the order of the server.
    private static let rows = [
        row("Zoë Quiroga", "31"), row("Eve Lab", "7"), row("Anna Example", "28"), row("Edit Me", "26"), row("anna example", "3"),
    ]

    private func selection(_ query: RosterQuery, after: SyncModel.RosterRow? = nil) -> RosterSelection {
        let selection = RosterSelection(query)
        if let after { selection.start(after: after) }
        for row in Self.rows { selection.take(row) }
        return selection
    }

    private func ids(_ query: RosterQuery) -> [String] { selection(query).rows.map(\.id.rawValue) }

    @Test func rowsAreInOrderOfTheirNamesThenIDs() {
        #expect(ids(RosterQuery(resource: "r")) == ["28", "3", "26", "7", "31"])
    }

    @Test(arguments: [
        ("anna", ["28", "3"]), ("ZOE", ["31"]), ("lab", ["7"]), ("3", ["3", "31"]), ("2", ["28", "26"]), ("bob", []), ("8", []),
        ("", ["28", "3", "26", "7", "31"]),
    ])
    func findsPartsOfNamesAndBeginningsOfIDs(find: String, expected: [String]) {
        #expect(ids(RosterQuery(resource: "r", find: find)) == expected)
    }

    @Test func findsWholeNamesAndIDs() {
        #expect(ids(RosterQuery(resource: "r", label: "ANNA  Example")) == ["28", "3"])
        #expect(ids(RosterQuery(resource: "r", label: "Anna")).isEmpty)
        #expect(ids(RosterQuery(resource: "r", ids: ["31", "7", "999"])) == ["7", "31"])
        #expect(ids(RosterQuery(resource: "r", find: "anna", ids: ["3", "7"])) == ["3"])
    }

    @Test(arguments: 1...6) func pagesTogetherHaveEveryRowOnce(limit: Int) throws {
        var (found, after): ([String], SyncModel.RosterRow?) = ([], nil)
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
