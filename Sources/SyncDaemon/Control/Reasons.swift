import Backends
import Foundation
import Outbox
import SyncModel

/// Why an entry is where it is, in one sentence, and the next thing to do: pure, from what is known at this moment.
struct Reasons {
    /// The entry that goes first in its lane.
    var head: EntryRecord?
    var gate: Gate?
    var session: SessionSnapshot?
    /// The name by which people know the entry's account.
    var owner: String
    var canLookUp: Bool
    /// Whether a profile still describes the entry's backend.
    var hasProfile = true
    var now: Date

    func explain(_ entry: EntryRecord) -> (sentence: String, next: String?) {
        let said = entry.lastError.map { ": \($0)" } ?? "."
        switch entry.state {
        case .delivered: return ("It has been delivered\(entry.remoteID.map { " and is number \($0) there" } ?? "").", nil)
        case .discarded: return ("A person discarded it; its content is destroyed.", nil)
        case .inflight: return ("It is being sent at this moment.", nil)
        case .dead:
            let doubt = entry.uncertain ? " It may have taken effect all the same." : ""
            let wasRefused = entry.attempts == 0 || (400..<500).contains(entry.lastStatus ?? 0)
            let sentence =
                !wasRefused
                ? "It was tried \(entry.attempts) times without success; the last time\(said)\(doubt)"
                : "The backend refused it\(said)\(doubt)"
            return (sentence, "When the cause is mended: ‘homing retry \(entry.id)’. To destroy it for good: ‘homing discard \(entry.id)’.")
        case .held: return held(entry, said)
        case .pending: return pending(entry, said)
        }
    }

    private func held(_ entry: EntryRecord, _ said: String) -> (String, String?) {
        let retry = "‘homing retry \(entry.id)’"
        let discard = "‘homing discard \(entry.id)’"
        switch entry.holdReason {
        case .forbidden:
            return ("\(owner) is not allowed to send it\(said)", "Have the right given to \(owner), then \(retry); or \(discard).")
        case .unknownOutcome:
            return (
                "It was sent and may have taken effect, which cannot be found out from here\(said)",
                "Look for it at the backend. If it is not there, \(retry); if it is, \(discard)."
            )
        case .poison:
            return ("The daemon crashed three times while sending it.", "Report the crash, then \(retry) or \(discard).")
        case .quarantine:
            return ("What is stored of it cannot be read back.", "Restore the key or the disk’s content and \(retry); or \(discard).")
        case .dependency: return ("What it depends on has not been delivered.", "See to that one first.")
        case .operator, nil: return ("A person put it aside.", "\(retry) to send it; \(discard) to destroy it.")
        }
    }

    private func pending(_ entry: EntryRecord, _ said: String) -> (String, String?) {
        guard hasProfile else {
            let backend = entry.destination.backend
            return (
                "No profile describes its backend \(backend) any more.",
                "Put \(backend).yaml back into the folder with the profiles and restart the daemon."
            )
        }
        if session?.state != .signedIn || session?.account?.id != entry.destination.account {
            let who = session?.account?.id == entry.destination.account ? session?.reason.map { " (\($0))" } ?? "" : ""
            return ("It waits for \(owner) to sign in\(who); nobody else’s sign-in sends it.", "\(owner): ‘homing login’.")
        }
        if let head, head.id != entry.id {
            switch head.state {
            case .dead, .held:
                return (
                    "Entry \(head.id), which goes before it in \(entry.lane), is \(head.state.rawValue), and what follows may depend on it.",
                    "‘homing why \(head.id)’, then retry or discard that one."
                )
            default: return ("Others go before it in \(entry.lane), in the order of their capture.", nil)
            }
        }
        if case .cooling(let until, let failure) = gate {
            return (
                "The backend cannot be reached now: \(failure.message) It is tried again at \(time(until)).",
                "Nothing, or ‘homing sync’ to try at once."
            )
        }
        if entry.uncertain, canLookUp {
            return ("Its answer was lost; it will be looked up before it is sent again.", nil)
        }
        if let due = entry.dueAt, due > now {
            let before = entry.lastError.map { " The last time: \($0)" } ?? ""
            return ("It is tried again at \(time(due)).\(before)", "Nothing, or ‘homing sync’ to try at once.")
        }
        return ("It is next in line.", nil)
    }

    /// With the date, where it is another day's.
    private func time(_ date: Date) -> String {
        let day = date.formatted(.iso8601.year().month().day())
        let time = date.formatted(.iso8601.time(includingFractionalSeconds: false)) + " UTC"
        return day == now.formatted(.iso8601.year().month().day()) ? time : "\(time) on \(day)"
    }
}
