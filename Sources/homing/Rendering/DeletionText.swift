import ControlAPI
import SyncModel

/// The warning shown before a row is deleted on the backend.
struct DeletionText {
    let roster: RosterReport
    let id: String
    /// Nil if the stored list does not have it.
    let row: ControlAPI.RosterRow?

    private static let stopping = [Entry.State.dead.rawValue, Entry.State.held.rawValue]

    /// - Parameter undelivered: all other entries for the row, oldest first.
    func before(_ undelivered: [EntrySummary]) -> String {
        let stopped = undelivered.filter { Self.stopping.contains($0.state) && !$0.isBeingDiscarded }
        let waiting = undelivered.filter { entry in !stopped.contains { $0.id == entry.id } }
        var lines = [
            "This deletes \(name) at \(roster.backend), including all stored data. You can cancel this only until Homing sends it."
        ]
        if !waiting.isEmpty {
            let (verb, they) = waiting.count == 1 ? ("waits", "it is") : ("wait", "they are")
            lines.append("\(EntryTally.text(waiting)) still \(verb); \(they) sent first.")
        }
        if !stopped.isEmpty {
            let (verb, them) = stopped.count == 1 ? ("was not delivered and needs", "it") : ("were not delivered and need", "them")
            lines.append(
                "\(EntryTally.text(stopped)) \(verb) a decision. Homing deletes the \(roster.title.one) after you have retried or discarded \(them)."
            )
        }
        return lines.map(\.printable).joined(separator: "\n")
    }

    /// `Anna Example (5)`, `Anna Example (new)`, or `the person 5, which is not in your list,`.
    private var name: String {
        guard let row else { return "the \(roster.title.one) \(RowReference.short(id)), which is not in your list," }
        let label = row.label.isEmpty ? "the new \(roster.title.one)" : row.label
        return row.isNew ? "\(label)\(row.label.isEmpty ? "" : " (new)")" : "\(label) (\(row.id))"
    }
}
