import Foundation
import Sandbox

extension Day {
    /// The backend's ledger.
    func arrivals() throws -> [DemoArrival] {
        let rows = try books.rows
        let places = Dictionary(
            changes.enumerated().map { (LedgerEntry.digest(of: JSON.object($0.element.document).bytes), $0.offset) }, uniquingKeysWith: min)
        return ledger.entries.map { entry in
            guard let place = places[entry.digest], place < rows.count else {
                return DemoArrival(entry: entry, words: "\(entry.resource) that was not submitted here", id: nil)
            }
            return DemoArrival(entry: entry, words: "\(entry.resource) \(changes[place].words)", id: rows[place].id)
        }
    }

    func showArrivals() throws { showLedger(try arrivals()) }

    func showLedger(_ arrivals: [DemoArrival]) {
        say("The server’s ledger, in order of arrival:")
        let lines = arrivals.map { arrival in
            let entry = arrival.entry
            return "\(entry.sequence < 10 ? " " : "")\(entry.sequence). \(arrival.words)"
                + (entry.answered ? "" : "   ← its answer was lost")
        }
        quote(lines.joined(separator: "\n"))
    }

    func close(signingOut options: String...) throws {
        say("The day is over.")
        try show("status")
        try show(["logout", "--yes"] + options)
    }

    /// Compares the books of the daemon and the backend; true if they agree.
    func compare(_ things: String) throws -> Bool {
        compare(DemoComparison(handedIn: (changes.count, things), books: try books, arrivals: try arrivals().map(\.id)))
    }

    func compare(_ comparison: DemoComparison) -> Bool {
        say("The daemon’s records compared with the backend’s:")
        quote(comparison.table)
        say(comparison.verdict)
        return comparison.agrees
    }

    /// Submits copies of files under these names, all with one command.
    func submit(_ files: KeyValuePairs<String, URL>, _ options: String...) throws {
        for (name, file) in files { try Data(contentsOf: file).write(to: URL(fileURLWithPath: "\(station.directory)/\(name)")) }
        try show(["submit"] + files.map { $0.key } + options)
    }

    /// Submits each change as a file, all with one command.
    func handIn(_ new: [Change], route: String, fields: [String] = []) throws {
        let names = new.indices.map { "\(route)-\(changes.count + $0 + 1).json" }
        for (name, change) in zip(names, new) {
            try Data(JSON.object(change.document).bytes).write(to: URL(fileURLWithPath: "\(station.directory)/\(name)"))
        }
        add(new)
        try show(["submit", "--route", route] + fields.flatMap { ["--item", $0] } + names)
    }

    /// Submits changes that consist of fields; shows the first command.
    func handIn(fieldsOf new: [Change], route: String) throws {
        for (place, change) in new.enumerated() {
            let fields = change.document.sorted { $0.key > $1.key }.map { "\($0.key)=\($0.value.text ?? "")" }
            let command = ["submit", "--route", route, "--no-document"] + fields.flatMap { ["--item", $0] }
            if place == 0 { try show(command) } else { try station.homing(command) }
        }
        add(new)
        if new.count > 1 { quote("… and \(new.count - 1) more in the same way.") }
    }
}
