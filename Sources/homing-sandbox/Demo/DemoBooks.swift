import Foundation
import Sandbox

/// What the daemon says it holds, read through `homing list --json`.
struct DemoBooks {
    struct Row: Decodable {
        var sequence: Int
        var id: String
        var lane: String
        var state: String
        var remoteID: String?
    }
    private struct Page: Decodable { var entries: [Row] }

    let rows: [Row]

    init(_ station: DemoStation) throws {
        let text = try station.homing("list", "--limit", "500", "--json")
        guard let page = try? JSONDecoder().decode(Page.self, from: Data(text.utf8)) else {  // `try?`: the message below says it better
            throw DemoError("‘homing list --json’ said: \(text)")
        }
        rows = page.entries
    }

    func count(_ state: String) -> Int { rows.filter { $0.state == state }.count }
}

/// The daemon's books and the backend's, side by side.
struct DemoComparison {
    let captured, delivered, refused, duplicated, lost: (daemon: Int, backend: Int)
    let isInOrder: Bool

    /// - Parameter captured: how many files were dropped.
    init(captured: Int, books: DemoBooks, ledger: Ledger) {
        let measured = ledger.entries.filter { $0.path.contains("facial_measurements_from_arkit") }
        let known = Set(measured.compactMap(\.clientMutationID))
        let delivered = books.rows.filter { $0.state == "delivered" }
        // Refusals as the backend counts them: entries that it answered and never accepted.
        let refused = books.rows.filter { $0.state == "discarded" && !known.contains($0.id) }.count
        self.captured = (books.rows.count, captured)
        self.delivered = (delivered.count, known.count)
        self.refused = (books.count("discarded"), refused)
        duplicated = (0, measured.count - known.count)
        lost = (captured - delivered.count - books.count("discarded"), delivered.filter { !known.contains($0.id) }.count)
        isInOrder = Dictionary(grouping: delivered, by: \.lane).values.allSatisfy { lane in
            let expected = lane.sorted { $0.sequence < $1.sequence }.map(\.id)
            let arrived = measured.compactMap(\.clientMutationID).filter(Set(expected).contains)
            return arrived == expected
        }
    }

    var agrees: Bool {
        [captured, delivered, refused].allSatisfy { $0.daemon == $0.backend } && duplicated.backend == 0 && lost == (0, 0) && isInOrder
    }

    var table: String {
        func line(_ name: String, _ daemon: String, _ backend: String) -> String {
            name.padding(toLength: 14, withPad: " ", startingAt: 0) + daemon.padding(toLength: 10, withPad: " ", startingAt: 0) + backend
        }
        return [
            line("", "daemon", "backend"),
            line("captured", "\(captured.daemon)", "\(captured.backend) files dropped"),
            line("delivered", "\(delivered.daemon)", "\(delivered.backend)"),
            line("refused", "\(refused.daemon)", "\(refused.backend)"),
            line("duplicated", "\(duplicated.daemon)", "\(duplicated.backend)"),
            line("lost", "\(lost.daemon)", "\(lost.backend)"),
            line("in order", isInOrder ? "yes" : "NO", isInOrder ? "yes" : "NO"),
        ].joined(separator: "\n")
    }
}
