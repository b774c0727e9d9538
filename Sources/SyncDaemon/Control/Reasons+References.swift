import Backends
import ControlAPI
import Outbox
import SyncModel

/// Entries that create a row, and entries that refer to one.
extension Reasons {
    /// Nil if the entry does not wait for a row.
    func creation(_ entry: Entry) -> Finding? {
        guard let create, create.state == .pending || create.state == .inflight else { return nil }
        return Finding(
            .of(.creation) { ($0.entry, $0.name) = (short(create), list.newLabel) },
            "\(subject(entry, "This")) waits until entry \(short(create)) has created \(newRow) at \(entry.destination.backend).",
            .optional("Nothing to do. Homing then sends it automatically. To see the other entry, run: homing why \(short(create))"))
    }

    /// For an entry on hold; nil if it has another cause.
    func ofReference(_ entry: Entry) -> Finding? {
        if entry.holdReason == .unknownOutcome, entry.mutation.creates != nil { return perhapsCreated(entry) }
        guard entry.holdReason == .dependency, let reference = entry.mutation.subject?.reference, !isRowKnown else { return nil }
        let this = subject(entry, "This")
        guard let create else {
            return Finding(
                .of(.rowUnknown) { $0.entry = EntryName.short("\(reference)") },
                "\(this) cannot be sent, because the \(list.title.one) that entry \(EntryName.short("\(reference)")) created has no known id.",
                .required(otherwise(entry)))
        }
        let (id, isOnHold) = (short(create), "\(this) is on hold, because")
        func cause(_ word: Explanation.Cause) -> Cause { .of(word) { ($0.entry, $0.name) = (id, list.newLabel) } }
        switch create.state {
        case .pending, .inflight, .delivered: return nil
        case .dead:
            return Finding(
                cause(.creationFailed),
                "\(isOnHold) entry \(id) failed to create \(newRow).\(said(create))",
                .required("After fixing the cause, run: homing retry \(id)\nHoming then sends this entry too.\n\(otherwise(entry))"))
        case .discarded:
            return Finding(
                cause(.creationDiscarded),
                "\(this) cannot be sent, because entry \(id), which was to create \(newRow), was discarded.", .required(otherwise(entry)))
        case .held where create.holdReason == .discarding:
            return Finding(
                cause(.creationDiscarding),
                "\(isOnHold) entry \(id), which creates \(newRow), is being discarded.",
                .required("To keep that entry, \(destroying("homing undo \(id)"))\n\(otherwise(entry))"))
        case .held where isMisplaced(create):
            return Finding(
                cause(.creationMisplaced),
                "\(isOnHold) \(entry.destination.backend) stored \(newRow) with other values than those of entry \(id).\(said(create))",
                .required("\(resolution(of: create))\n\(otherwise(entry))"))
        case .held where create.holdReason == .unknownOutcome:
            let backend = entry.destination.backend
            let isRestored = create.lastReason == .restored
            let why = isRestored ? "the store was restored from an older copy" : "the answer to entry \(id) is missing or has no usable id"
            return Finding(
                cause(.creationDoubtful),
                "\(isOnHold) it is not known whether \(backend) has created \(newRow): \(why).\(found)",
                .required("\(resolution(of: create))\n\(otherwise(entry))"))
        case .held:
            return Finding(
                cause(.creationHeld),
                "\(isOnHold) entry \(id), which creates \(newRow), is on hold.",
                .required("To see the reason and the next step, run: homing why \(id)\n\(otherwise(entry))"))
        }
    }

    /// A space and the number of entries that wait for this one's row, or nothing.
    func dependentsWait(_ entry: Entry) -> String {
        guard dependents > 0, [.pending, .inflight, .dead, .held].contains(entry.state) else { return "" }
        let least = dependents >= Outbox.countedInLane ? "At least " : ""
        return " \(least)\(dependents) \(dependents == 1 ? "entry waits" : "entries wait") for it."
    }

    /// A creation with unknown outcome.
    private func perhapsCreated(_ entry: Entry) -> Finding {
        let backend = entry.destination.backend
        if isMisplaced(entry) {
            return Finding(
                .of(.misplaced) { ($0.name, $0.words) = (list.newLabel, quoted(entry)) },
                "\(backend) stored \(newRow) with other values than those of the entry.\(said(entry))",
                .required(resolution(of: entry)))
        }
        let isRestored = entry.lastReason == .restored
        let why = list.canLookUpCreate ? "looking it up there did not settle it" : "\(backend) offers no way to look it up"
        let doubt = isRestored ? "the store was restored from an older copy, and \(why)." : "the entry was sent, and \(why).\(said(entry))"
        return Finding(
            .of(.createdPerhaps) { ($0.name, $0.words) = (list.newLabel, quoted(entry)) },
            "It is not known whether \(backend) has created \(newRow): \(doubt)\(found)",
            .required(resolution(of: entry)))
    }

    /// The server created the row with other values, perhaps in another list.
    private func isMisplaced(_ create: Entry) -> Bool {
        create.holdReason == .unknownOutcome && create.lastReason == .misplaced
    }

    /// `Anna Example`, or `the new person`.
    private var newRow: String { list.newLabel ?? "the new \(list.title.one)" }

    private func short(_ create: Entry) -> String { EntryName.short(create.id.description) }

    private func otherwise(_ entry: Entry) -> String {
        let field = subjectReport?.field ?? "user_id"
        guard let way = redirecting("\(entry.id)", field, list.title.one) else { return discard(entry) }
        return "To \(way.purpose), run: \(way.command)\n\(discard(entry))"
    }

    /// A space and what the stored list says, or nothing.
    private var found: String {
        switch list.candidates {
        case .newest(let rows) where rows.isEmpty:
            " The list of \(list.title.many), which was read afterwards, has none that could be the new one."
        case .newest(let rows):
            " The list of \(list.title.many) was read afterwards. The new one may be \(rows.map(\.text).joined(separator: " or "))."
        case .tooOld: " The stored list of \(list.title.many) cannot tell: it is incomplete, or older than the send."
        case .unordered: " The stored list of \(list.title.many) cannot tell which ones are new."
        case nil: ""
        }
    }

    private func resolution(of create: Entry) -> String {
        let resolve = "homing resolve \(short(create))"
        if isMisplaced(create) {
            return """
                Correct it at \(create.destination.backend), then run: \(resolve) --delivered ID
                It exists there: --not-delivered, or homing retry, would make a second one.
                """
        }
        let again = list.canLookUpCreate ? "\nTo look it up again, run: homing retry \(short(create))" : ""
        let lines: [String]
        if case .newest(let rows) = list.candidates, let first = rows.first {
            lines = [
                "If the new \(list.title.one) is \(first.text), run: \(resolve) --delivered \(first.id)",
                "For another one, give that number. If it is none of them, run: \(resolve) --not-delivered",
            ]
        } else {
            // Homing reads no list during a pause.
            let first = obstacles.pause == nil ? [] : ["Sending is paused. First, to resume, run: \(commands.resume)"]
            lines =
                first + [
                    "To see the current list, run: \(list.refresh)",
                    "If the new \(list.title.one) is there, run: \(resolve) --delivered ID",
                    "If not, run: \(resolve) --not-delivered",
                ]
        }
        return lines.joined(separator: "\n") + again
    }
}
