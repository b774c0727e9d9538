import Foundation

/// The daemon's entries, from `homing list --json`.
struct DemoBooks {
    struct Row: Decodable {
        var sequence: Int
        var id: String
        var lane: String
        var state: String
        var route = ""
        var remoteID: String?
        var subject: Subject?

        /// The person as the daemon names them: `Anna Example (5)`.
        var person: String? { subject.map { subject in subject.label.map { "\($0) (\(subject.id))" } ?? subject.id } }
    }
    struct Subject: Decodable {
        var id: String
        var label: String?
    }
    private struct Page: Decodable { var entries: [Row] }

    /// In order of submission.
    let rows: [Row]

    init(rows: [Row]) { self.rows = rows.sorted { $0.sequence < $1.sequence } }

    init(_ station: DemoStation) throws {
        let text = try station.homing("list", "--limit", "500", "--json")
        guard let page = try? JSONDecoder().decode(Page.self, from: Data(text.utf8)) else {  // `try?`: the error below shows the output
            throw DemoError("‘homing list --json’ printed: \(text)")
        }
        self.init(rows: page.entries)
    }

    func count(_ state: String) -> Int { rows.filter { $0.state == state }.count }

    /// The one entry in this state; throws for none or several.
    func only(_ state: String) throws -> Row {
        let found = rows.filter { $0.state == state }
        guard let row = found.first, found.count == 1 else { throw DemoError("expected one entry in state \(state), found \(found.count)") }
        return row
    }
}
