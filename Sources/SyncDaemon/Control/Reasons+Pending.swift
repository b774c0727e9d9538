import Backends
import ControlAPI
import Delivery
import Foundation
import Outbox
import SyncModel

/// Why an entry waits: causes for all entries first, then causes for this one.
extension Reasons {
    func pending(_ entry: EntryRecord) -> Explanation {
        backendMissing(entry) ?? addressChanged(entry) ?? paused() ?? accountMissing(entry) ?? behind(entry) ?? diskFull()
            ?? unseen(entry) ?? cooling() ?? failing(entry) ?? uncertain(entry) ?? backoff(entry) ?? revived(entry) ?? (
                "It is next in line.", "Nothing; it goes up by itself."
            )
    }

    private func backendMissing(_ entry: EntryRecord) -> Explanation? {
        guard !hasProfile else { return nil }
        let backend = entry.destination.backend
        return (
            "No profile describes its backend \(backend) any more.",
            "Put \(backend).yaml back into the folder with the profiles, then reload: ‘systemctl reload homingd’, or SIGHUP."
        )
    }

    private func addressChanged(_ entry: EntryRecord) -> Explanation? {
        guard let formerAddress else { return nil }
        let backend = entry.destination.backend
        return (
            "It was taken for \(formerAddress), and \(backend) has another address now: an account there is not the one with the same id.",
            "Put the old address back into \(backend).yaml; or, if it is the same service, add ‘formerly: [\(formerAddress)]’ there. Then reload the daemon."
        )
    }

    private func paused() -> Explanation? {
        guard let pause else { return nil }
        let resume = "‘\(commands.resume)’"
        return (
            "Sending is paused. \(PauseText(pause: pause, moment: moment).sentence)",
            pause.until == nil ? "To send again: \(resume)." : "Nothing, or \(resume) to send before that."
        )
    }

    private func accountMissing(_ entry: EntryRecord) -> Explanation? {
        let account = session?.account
        let next = "\(owner): ‘\(commands.login(of: owner))’."
        switch session?.state {
        case .signedIn where account?.id == entry.destination.account: return nil
        case .signedIn:
            let present = account?.label ?? "Somebody else"
            return (
                "\(present) is signed in; it waits for \(owner) to sign in, and nobody else’s sign-in sends it.",
                commands.change(from: present, to: owner)
            )
        case .signInRequired where account?.id == entry.destination.account:
            return (
                "It waits for \(owner) to sign in again, because the session has ended\(SessionReport.because(session?.reason))",
                next
            )
        case .signingOut: return ("\(owner) is being signed out; it waits for \(owner) to sign in again.", next)
        default: return ("It waits for \(owner) to sign in; nobody else’s sign-in sends it.", next)
        }
    }

    private func behind(_ entry: EntryRecord) -> Explanation? {
        guard let head = blocker, head.id != entry.id else { return nil }
        let why = "To see why, run: homing why \(head.id)"
        if head.state == .dead || head.state == .held {
            let what = head.state == .dead ? "has failed" : "is on hold"
            return ("It waits for entry \(head.id), which goes before it in \(head.lane) and \(what).", "Retry or discard that one. \(why)")
        }
        guard head.lane == entry.lane else {
            return ("It waits for entry \(head.id) in \(head.lane), which goes before it.", "Nothing to do. \(why)")
        }
        let count = ahead >= Outbox.countedInLine ? "At least \(ahead) others go" : ahead <= 1 ? "One other goes" : "\(ahead) others go"
        return (
            "\(count) before it in \(entry.lane); the first is \(head.id).",
            "Nothing; ‘homing why \(head.id)’ says how far that one is."
        )
    }

    private func diskFull() -> Explanation? {
        guard isDiskFull else { return nil }
        return ("The disk is full, so nothing is sent until what became of it can be written.", "Make room on the disk.")
    }

    /// Look-ups keep failing; only a successful one helps.
    private func unseen(_ entry: EntryRecord) -> Explanation? {
        guard entry.uncertain, canLookUp, entry.looks >= Outbox.stuckLooks else { return nil }
        let when = entry.dueAt.map { $0 > moment.now ? " It is looked up again at \(moment.text($0))." : "" } ?? ""
        return (
            "\(subject(entry, "This")) may already have taken effect at \(entry.destination.backend), and it could not be looked up \(entry.looks) times in a row.\(said(entry))\(when)",
            "Have the look-up fixed at \(entry.destination.backend). To look again now, run: homing sync\nIf it is there, run: homing discard \(entry.id)\nTo send it without looking, which may make a duplicate, run: homing retry \(entry.id) --without-looking"
        )
    }

    /// Only this entry's route fails.
    private func failing(_ entry: EntryRecord) -> Explanation? {
        guard let routeGate else { return nil }
        let again = routeGate.until > moment.now ? "It is tried again at \(moment.text(routeGate.until))." : "It is being tried again."
        return (
            "\(entry.destination.backend) has accepted no \(entry.route) since \(moment.text(routeGate.since)). \(routeGate.failure.message.asSentence) \(again)",
            "Nothing, or ‘homing sync’ to try at once."
        )
    }

    private func cooling() -> Explanation? {
        guard case .cooling(let until, let failure) = gate else { return nil }
        let again = until > moment.now ? "It is tried again at \(moment.text(until))." : "It is being tried again at this moment."
        let hurry = "‘homing sync’ tries at once"
        let text = CoolingText(reason: failure.reason, message: failure.message, who: owner)
        return ("\(text.sentence) \(again)", text.remedy(then: hurry) ?? next(after: failure.reason, hurry))
    }

    private func next(after reason: Failure.Reason, _ hurry: String) -> String {
        switch reason {
        case .throttled: "Nothing; no hurry can shorten this."
        case .signInRequired: "Wait, or sign in with ‘\(commands.login(of: owner))’."
        case .stillUnauthorized:
            "Tell whoever runs the backend; one entry at a time finds out when it is over. What it refused before is held, and then to be tried again."
        case .offline: "Check the network, if others work; \(hurry)."
        default: "Nothing, or \(hurry)."
        }
    }

    private func uncertain(_ entry: EntryRecord) -> Explanation? {
        guard entry.uncertain else { return nil }
        let when = entry.dueAt.map { $0 > moment.now ? " at \(moment.text($0))" : "" } ?? ""
        if canLookUp {
            return ("Its answer was lost; it will be looked up\(when) before it is sent again.", "Nothing; this happens by itself.")
        }
        return (
            "Its answer was lost, and this backend offers no way to look for it; it is sent again\(when) under the same id.",
            "Nothing; this happens by itself."
        )
    }

    private func backoff(_ entry: EntryRecord) -> Explanation? {
        guard let due = entry.dueAt, due > moment.now else { return nil }
        let again = "it is tried again at \(moment.text(due))."
        let last = entry.lastError.map { " The last time: \($0)" } ?? ""
        let sentence =
            entry.attempts > 0
            ? "Attempt \(entry.attempts) of \(attempts) did not succeed; \(again)\(last)"
            : again.prefix(1).uppercased() + again.dropFirst() + last
        return (sentence, "Nothing, or ‘homing sync’ to try at once.")
    }

    private func revived(_ entry: EntryRecord) -> Explanation? {
        guard let date = entry.retriedAt, entry.triedAt.map({ $0 <= date }) ?? true else { return nil }
        return (
            "\(entry.retriedBy ?? "A person") had it tried again at \(moment.text(date)); it is next in line.",
            "Nothing; it goes up by itself."
        )
    }
}
