import Foundation
import Sandbox

struct DemoComparison {
    /// The submitted changes, in the words of the story.
    let things: String
    let handedIn, delivered, refused, duplicated, lost: (daemon: Int, backend: Int)
    let isInOrder: Bool
    /// Nil for a story without people.
    let isForRightPerson: Bool?
    /// The deleted people; nil for a story without deletions.
    let deleted: (daemon: Set<String>, backend: Set<String>)?

    /// - Parameters:
    ///   - arrivals: entries of the stored documents, in the backend's order; nil for an unknown document.
    ///   - people: by entry, the person at the backend; nil for a story without people.
    ///   - deleted: people whom the daemon should have deleted, and those whom the backend no longer has.
    init(
        handedIn: (count: Int, things: String), books: DemoBooks, arrivals: [String?], people: [String: String]? = nil,
        deleted: (daemon: Set<String>, backend: Set<String>)? = nil
    ) {
        let known = Set(arrivals)
        let delivered = books.rows.filter { $0.state == "delivered" }
        let discarded = books.rows.filter { $0.state == "discarded" }
        things = handedIn.things
        self.deleted = deleted
        self.handedIn = (books.rows.count, handedIn.count)
        self.delivered = (delivered.count, known.count)
        // The backend's count: discarded entries that it never accepted.
        refused = (discarded.count, discarded.count { !known.contains($0.id) })
        duplicated = (0, arrivals.count - known.count)
        lost = (handedIn.count - delivered.count - discarded.count, delivered.filter { !known.contains($0.id) }.count)
        isInOrder = Dictionary(grouping: delivered, by: \.lane).values.allSatisfy { lane in
            let expected = lane.sorted { $0.sequence < $1.sequence }.map(\.id)
            return arrivals.compactMap(\.self).filter(Set(expected).contains) == expected
        }
        isForRightPerson = people.map { people in delivered.allSatisfy { people[$0.id] == $0.person } }
    }

    var agrees: Bool {
        [handedIn, delivered, refused].allSatisfy { $0.daemon == $0.backend } && duplicated.backend == 0 && lost == (0, 0)
            && isInOrder && isForRightPerson != false && isRightPersonDeleted
    }

    private var isRightPersonDeleted: Bool { deleted.map { $0.daemon == $0.backend } ?? true }

    var verdict: String {
        guard agrees else { return "THEY DO NOT AGREE." }
        let people = isForRightPerson == nil ? "" : ", all for the right person"
        let deletion = deleted == nil ? "" : " The right person is gone, and all others are still listed."
        return "They agree: nothing lost, nothing duplicated, all in order\(people).\(deletion)"
    }

    var table: String {
        func line(_ name: String, _ daemon: String, _ backend: String) -> String {
            name.padding(toLength: 14, withPad: " ", startingAt: 0) + daemon.padding(toLength: 10, withPad: " ", startingAt: 0) + backend
        }
        func line(_ name: String, _ count: (daemon: Int, backend: Int), _ words: String = "") -> String {
            line(name, "\(count.daemon)", "\(count.backend)\(words)")
        }
        func line(_ name: String, _ isSo: Bool) -> String { line(name, isSo ? "yes" : "NO", isSo ? "yes" : "NO") }
        let lines = [
            line("", "daemon", "backend"), line("submitted", handedIn, " \(things)"), line("delivered", delivered),
            line("refused", refused), line("duplicated", duplicated), line("lost", lost), line("in order", isInOrder),
        ]
        let person = isForRightPerson.map { line("right person", $0) }
        let gone = deleted.map { line("person gone", Self.ids($0.daemon), Self.ids($0.backend)) }
        return (lines + [person, gone].compactMap(\.self)).joined(separator: "\n")
    }

    private static func ids(_ people: Set<String>) -> String {
        people.isEmpty ? "no one" : people.sorted().joined(separator: ", ")
    }
}
