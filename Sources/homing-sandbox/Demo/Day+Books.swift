import Sandbox

extension Day {
    /// The backend's ledger; each row with its change and the id of its entry.
    func arrivals() throws -> [(entry: LedgerEntry, change: Change?, id: String?)] {
        let rows = try books.rows
        let places = Dictionary(
            changes.enumerated().map { (LedgerEntry.digest(of: JSON.object($0.element.document).bytes), $0.offset) }, uniquingKeysWith: min)
        return ledger.entries.map { entry in
            guard let place = places[entry.digest], place < rows.count else { return (entry, nil, nil) }
            return (entry, changes[place], rows[place].id)
        }
    }

    func showArrivals() throws {
        say("The server’s ledger, in order of arrival:")
        let lines = try arrivals().map { entry, change, _ in
            "\(entry.sequence < 10 ? " " : "")\(entry.sequence). \(entry.resource) \(change?.words ?? "that was not submitted here")"
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
    func compare(_ things: String, foundThere: Set<String> = []) throws -> Bool {
        compare(
            DemoComparison(
                handedIn: (changes.count, things), books: try books, foundThere: foundThere, arrivals: try arrivals().map(\.id)))
    }

    func compare(_ comparison: DemoComparison) -> Bool {
        say("The daemon’s records compared with the backend’s:")
        quote(comparison.table)
        say(comparison.agrees ? "They agree: nothing lost, nothing duplicated, all in order." : "THEY DO NOT AGREE.")
        return comparison.agrees
    }
}
