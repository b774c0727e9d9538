import Backends
import ControlAPI
import Outbox
import SyncModel

/// Entries that follow all others of their subject, and entries whose row is read before each send.
extension Reasons {
    /// Nil if no earlier entry of its subject is in the way.
    func ofSubject(_ entry: Entry) -> Finding? {
        guard entry.mutation.afterSubject, earlier > 0, let first = blocker, first.lane != entry.lane else { return nil }
        let this = subject(entry, "This")
        let number = earlier >= Outbox.countedInLane ? "at least \(earlier)" : "\(earlier)"
        let count = "\(number) earlier \(earlier == 1 ? "entry" : "entries") for the same \(list.title.one)"
        let id = EntryName.short("\(first.id)")
        let which = earlier == 1 ? "It" : "One of them, \(id),"
        func cause(_ word: Explanation.Cause) -> Cause {
            .of(word) { ($0.count, $0.least, $0.entry) = (earlier, earlier >= Outbox.countedInLane ? true : nil, id) }
        }
        if first.holdReason == .discarding {
            return Finding(
                cause(.earlierDiscarding),
                "\(this) waits for \(count). \(which) is being discarded.",
                .optional("Nothing to do. To undo the discard, \(destroying("homing undo \(id)"))"))
        }
        switch first.state {
        case .dead, .held:
            return Finding(
                cause(first.state == .dead ? .earlierFailed : .earlierHeld),
                "\(this) waits for \(count). \(which) \(first.state == .dead ? "has failed" : "is on hold").",
                .required("To see the reason and the next step, run: homing why \(id)\n\(discard(entry))"))
        case .pending, .inflight, .delivered, .discarded:
            return Finding(
                cause(.earlier),
                "\(this) waits for \(count), which Homing sends first.",
                .optional("Nothing to do. To check the first one, run: homing why \(id)"))
        }
    }

    /// Why the row, as read, does not allow the send; nil for other causes.
    func ofRow(_ entry: Entry) -> Finding? {
        guard entry.holdReason == .profile, entry.lastStatus != nil else { return nil }
        let backend = entry.destination.backend
        return Finding(
            .of(.rowForbids) { $0.words = quoted(entry) },
            "\(subject(entry, "This")) was not sent.\(said(entry))",
            .required(
                "Ask the administrator of \(backend) to correct the list of \(list.title.many) that it sends, then run: homing retry \(entry.id)\n\(discard(entry))"
            ))
    }
}
