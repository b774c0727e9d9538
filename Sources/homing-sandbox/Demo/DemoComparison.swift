import Foundation
import Sandbox

struct DemoComparison {
    /// The submitted changes, in the words of the story.
    let things: String
    let handedIn, delivered, foundThere, refused, duplicated, lost: (daemon: Int, backend: Int)
    let isInOrder: Bool

    /// - Parameters:
    ///   - foundThere: entries that a person discarded after finding them at the backend.
    ///   - arrivals: the entries of the stored documents, in the backend's order; nil for an unknown document.
    init(handedIn: (count: Int, things: String), books: DemoBooks, foundThere: Set<String> = [], arrivals: [String?]) {
        let known = Set(arrivals)
        let delivered = books.rows.filter { $0.state == "delivered" }
        let discarded = books.rows.filter { $0.state == "discarded" }
        things = handedIn.things
        self.handedIn = (books.rows.count, handedIn.count)
        self.delivered = (delivered.count, known.count - known.intersection(foundThere).count)
        self.foundThere = (discarded.count { foundThere.contains($0.id) }, known.intersection(foundThere).count)
        // The backend's count: discarded entries that it never accepted.
        refused = (
            discarded.count { !foundThere.contains($0.id) },
            discarded.filter { !known.contains($0.id) && !foundThere.contains($0.id) }.count
        )
        duplicated = (0, arrivals.count - known.count)
        lost = (handedIn.count - delivered.count - discarded.count, delivered.filter { !known.contains($0.id) }.count)
        isInOrder = Dictionary(grouping: delivered, by: \.lane).values.allSatisfy { lane in
            let expected = lane.sorted { $0.sequence < $1.sequence }.map(\.id)
            return arrivals.compactMap(\.self).filter(Set(expected).contains) == expected
        }
    }

    var agrees: Bool {
        [handedIn, delivered, foundThere, refused].allSatisfy { $0.daemon == $0.backend } && duplicated.backend == 0 && lost == (0, 0)
            && isInOrder
    }

    var table: String {
        func line(_ name: String, _ daemon: String, _ backend: String) -> String {
            name.padding(toLength: 14, withPad: " ", startingAt: 0) + daemon.padding(toLength: 10, withPad: " ", startingAt: 0) + backend
        }
        func line(_ name: String, _ count: (daemon: Int, backend: Int), _ words: String = "") -> String {
            line(name, "\(count.daemon)", "\(count.backend)\(words)")
        }
        let found = foundThere == (0, 0) ? [] : [line("found there", foundThere, " checked by a person, not sent again")]
        return
            ([line("", "daemon", "backend"), line("submitted", handedIn, " \(things)"), line("delivered", delivered)] + found + [
                line("refused", refused), line("duplicated", duplicated), line("lost", lost),
                line("in order", isInOrder ? "yes" : "NO", isInOrder ? "yes" : "NO"),
            ]).joined(separator: "\n")
    }
}
