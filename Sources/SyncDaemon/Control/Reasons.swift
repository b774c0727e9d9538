import Backends
import ControlAPI
import Foundation
import Outbox
import SyncModel

/// Why an entry is where it is, in one sentence, and the next thing to do: pure, from what is known at this moment.
struct Reasons {
    /// The entry that goes first in its lane.
    var head: EntryRecord?
    /// How many entries go before it, counted up to `Outbox.countedInLine`.
    var ahead = 0
    /// The proof of what became of it; nil while nothing has.
    var receipt: ReceiptRecord?
    /// What a person wished for its backend.
    var pause: PauseReport?
    var gate: Gate?
    var session: SessionSnapshot?
    /// The name by which people know the entry's account.
    var owner: String
    var canLookUp: Bool
    /// What a person types about its backend.
    var commands = NextCommands()
    /// The address that the entry was taken for, where the profile names another service's by now.
    var formerAddress: String?
    /// Whether a profile still describes the entry's backend.
    var hasProfile = true
    /// What became of entries cannot be written, so nothing is sent.
    var isDiskFull = false
    /// Counted attempts before an entry is dead.
    var attempts: Int
    var moment: Moment

    typealias Explanation = (sentence: String, next: String)

    func explain(_ entry: EntryRecord) -> Explanation {
        switch entry.state {
        case .delivered: delivered(entry)
        case .discarded: discarded(entry)
        case .inflight:
            (
                "It is being sent\(entry.claimedAt.map { " since \(moment.text($0))" } ?? " at this moment").",
                "Nothing; ask again in a minute."
            )
        case .dead: dead(entry)
        case .held: held(entry)
        case .pending: pending(entry)
        }
    }

    private func delivered(_ entry: EntryRecord) -> Explanation {
        let number = entry.remoteID.map { " and is number \($0) there" } ?? ""
        let found = receipt?.foundByLookup == true ? ", as a look there has shown" : ""
        return ("It was delivered\(at(entry.settledAt)) for \(owner)\(number)\(found).", "The proof: ‘homing receipt \(entry.id)’.")
    }

    private func discarded(_ entry: EntryRecord) -> Explanation {
        let who = receipt?.discardedBy ?? "A person"
        return (
            "\(who) discarded it\(at(entry.settledAt)); its content is destroyed.", "The record of it: ‘homing receipt \(entry.id)’."
        )
    }

    private func dead(_ entry: EntryRecord) -> Explanation {
        let doubt = entry.uncertain ? " It may have taken effect all the same." : ""
        let wasRefused = entry.attempts == 0 || (400..<500).contains(entry.lastStatus ?? 0)
        let sentence =
            wasRefused
            ? "The backend refused it\(said(entry))\(doubt)"
            : "It was tried \(entry.attempts) times without success; the last time\(said(entry))\(doubt)"
        return (sentence, "When the cause is mended: ‘homing retry \(entry.id)’. To destroy it for good: ‘homing discard \(entry.id)’.")
    }

    private func held(_ entry: EntryRecord) -> Explanation {
        let retry = "‘homing retry \(entry.id)’"
        let discard = "‘homing discard \(entry.id)’"
        switch entry.holdReason {
        case .forbidden where entry.lastReason == .stillUnauthorized:
            return (
                "The backend refused it as if nobody were signed in, although the session had just been renewed\(said(entry))",
                "If \(owner) may do this there: \(retry), later if the backend itself is at fault; or \(discard)."
            )
        case .forbidden:
            return ("\(owner) is not allowed to send it\(said(entry))", "Have the right given to \(owner), then \(retry); or \(discard).")
        case .unknownOutcome:
            return (
                "It was sent and may have taken effect, which cannot be found out from here\(said(entry))",
                "Look for it at the backend. If it is not there, \(retry); if it is, \(discard)."
            )
        case .poison:
            return ("The daemon crashed three times while sending it.", "Report the crash, then \(retry) or \(discard).")
        case .quarantine:
            return (
                "What is stored of it cannot be read back\(entry.uncertain ? ", and it may have been sent" : "").",
                "\(entry.uncertain ? "Look for it at the backend. If it is not there, hand it in again" : "Hand it in again") where the original is still to be had, then \(discard). Nothing is sent of it unless it can be read after all, which \(retry) finds out."
            )
        case .profile:
            return (
                "The profile of its backend has changed: \(entry.lastError ?? "it cannot be turned into a request any more.")",
                "Bring the route back into the profile and reload the daemon; or \(discard)."
            )
        case .dependency: return ("What it depends on has not been delivered.", "See to that one first.")
        case .operator, nil: return ("A person put it aside.", "\(retry) to send it; \(discard) to destroy it.")
        }
    }

    /// `: the server's words`, or a full stop where there are none.
    private func said(_ entry: EntryRecord) -> String { entry.lastError.map { ": \($0)" } ?? "." }

    private func at(_ date: Date?) -> String { date.map { " at \(moment.text($0))" } ?? "" }
}
