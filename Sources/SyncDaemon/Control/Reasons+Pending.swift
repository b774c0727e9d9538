import Backends
import ControlAPI
import Delivery
import Foundation
import Outbox
import Sessions
import SyncModel

/// Why an entry waits: causes for all entries first, then causes for this one.
extension Reasons {
    func pending(_ entry: Entry) -> Finding {
        storeGone() ?? backendMissing(entry) ?? addressChanged(entry) ?? paused(entry) ?? accountMissing(entry) ?? creation(entry)
            ?? ofSubject(entry) ?? behind(entry)
            ?? diskFull() ?? holdingBack(entry, first(entry))
    }

    /// For the first entry of its lane.
    private func first(_ entry: Entry) -> Finding {
        let next = Finding(.of(.next) { $0.at = obstacles.nextTurn }, turn.sentence, turn.next)
        return unseen(entry) ?? doubted(entry) ?? refused(entry) ?? refusedOther(entry) ?? cooling() ?? failing(entry) ?? uncertain(entry)
            ?? backoff(entry) ?? revived(entry) ?? next
    }

    private func holdingBack(_ entry: Entry, _ why: Finding) -> Finding {
        guard later > 0 else { return why }
        let settlesItself =
            entry.uncertain && route.canLookUp && entry.looks < Outbox.stuckLooks
            && entry.uncertainSince?.hasAged(Self.patience, at: moment.now) != true
        let least = later >= Outbox.countedInLane ? "At least " : ""
        let wait = "\(least)\(later) later \(later == 1 ? "entry waits" : "entries wait") for it, because their order matters."
        let way = settlesItself ? "" : "\nTo let the later ones go without it, \(destroying("homing discard \(entry.id)"))"
        let next: NextStep =
            switch why.next {
            case .optional(let text): .optional(text + way)
            case .required(let text): .required(text + way)
            }
        var cause = why.cause
        cause.facts.later = later
        if later >= Outbox.countedInLane { cause.facts.least = true }
        return Finding(cause, "\(why.sentence) \(wait)", next)
    }

    /// Seconds within which a look-up usually settles an entry.
    private static let patience: TimeInterval = 6 * 3600

    private func backendMissing(_ entry: Entry) -> Finding? {
        guard !route.hasProfile else { return nil }
        let backend = entry.destination.backend
        return Finding(
            .of(.noProfile), "Its backend \(backend) no longer has a profile.", .required(NextCommands.restoreProfile(of: backend)))
    }

    private func addressChanged(_ entry: Entry) -> Finding? {
        guard let formerAddress = obstacles.formerAddress else { return nil }
        let backend = entry.destination.backend
        return Finding(
            .of(.otherAddress) { $0.address = formerAddress },
            "It was accepted for \(formerAddress), but \(backend) now has another address, where the same id means another account.",
            .required(NextCommands.restoreAddress(formerAddress, of: backend)))
    }

    private func paused(_ entry: Entry) -> Finding? {
        guard let pause = obstacles.pause else { return nil }
        let missing = accountMissing(entry)
        let cause = Cause.of(.paused) {
            ($0.person, $0.since, $0.until) = (pause.by, pause.since, pause.until)
            $0.words = pause.reason.isEmpty ? nil : pause.reason
            $0.account = missing.map { _ in owner }
            if entry.isRefused { ($0.reason, $0.status) = (Failure.Reason.refused.rawValue, entry.lastStatus) }
        }
        var sentence = "Sending is \(PauseText(pause: pause, moment: moment).predicate)"
        let resume = "To resume\(pause.until == nil ? "" : " before that"), run: \(commands.resume)"
        // After the end of the pause, the server would refuse it again.
        let correction = entry.isRefused ? correction(entry) : ""
        if entry.isRefused {
            let status = entry.lastStatus.map { " (\($0))" } ?? ""
            sentence += " \(entry.destination.backend) refused \(subject(entry, "this"))\(status).\(said(entry))"
        }
        // The end of the pause alone sends nothing.
        if let missing {
            return Finding(cause, "\(sentence) \(missing.sentence)", .required("\(resume)\n\(missing.next.text)\(correction)"))
        }
        let needsPerson = pause.until == nil || !correction.isEmpty
        return Finding(cause, sentence, needsPerson ? .required(resume + correction) : .optional("Nothing to do. \(resume)"))
    }

    private func accountMissing(_ entry: Entry) -> Finding? {
        let account = obstacles.session?.account
        let next = NextStep.required("To sign in as \(owner), run: \(commands.login(of: owner))")
        switch obstacles.session?.state {
        case .signedIn where account?.id == entry.destination.account: return nil
        case .signedIn:
            let present = account?.label ?? "Another account"
            return Finding(
                .of(.otherAccount) { ($0.account, $0.person) = (owner, account?.label) },
                "It waits for \(owner) to sign in, but \(present) is signed in.",
                .required(commands.change(from: present, to: owner)))
        case .signInRequired where account?.id == entry.destination.account:
            return Finding(
                .of(.sessionEnded) { $0.account = owner },
                "It waits for \(owner) to sign in again, because the session has ended\(SessionReport.because(obstacles.session?.reason))",
                next)
        case .signingOut:
            return Finding(
                .of(.signingOut) { $0.account = owner },
                "\(owner) is being signed out; it waits for \(owner) to sign in again.", next)
        default:
            return Finding(
                .of(.signedOut) { $0.account = owner },
                "It waits for \(owner) to sign in. Homing sends it only as that account.", next)
        }
    }

    private func behind(_ entry: Entry) -> Finding? {
        guard let head = blocker, head.id != entry.id else { return nil }
        let why = "To see why, run: homing why \(head.id)"
        func cause(_ word: Explanation.Cause) -> Cause { .of(word) { $0.entry = "\(head.id)" } }
        if head.holdReason == .discarding {
            return Finding(
                cause(.behindDiscarding),
                "It waits for entry \(head.id), which is being discarded. It is put on hold when that is done.",
                .optional("Nothing to do. To undo the discard, \(destroying("homing undo \(head.id)"))"))
        }
        if head.state == .dead || head.state == .held {
            let what = head.state == .dead ? "has failed" : "is on hold"
            return Finding(
                cause(head.state == .dead ? .behindFailed : .behindHeld),
                "It waits for entry \(head.id), which is ahead of it and \(what).",
                .required("\(mayDestroy ? "Retry or discard that one" : "Retry that one, or ask an administrator to discard it"). \(why)"))
        }
        if head.isAside, head.lane != entry.lane || head.mutation.onDead != .skip {
            return Finding(
                cause(.behindFailing),
                "It waits for entry \(head.id), which keeps failing and must be sent first.",
                .optional("Nothing to do. To see the reason and the next step, run: homing why \(head.id)"))
        }
        guard head.lane == entry.lane else {
            return Finding(
                cause(.behindOne), "It waits for entry \(head.id), which must be sent first.", .optional("Nothing to do. \(why)"))
        }
        let count = ahead >= Outbox.countedInLane ? "At least \(ahead) entries are" : ahead <= 1 ? "1 entry is" : "\(ahead) entries are"
        return Finding(
            .of(.behind) {
                ($0.count, $0.least, $0.entry) = (max(1, ahead), ahead >= Outbox.countedInLane ? true : nil, "\(head.id)")
            },
            "\(count) ahead of it; the first is \(head.id).",
            .optional("Nothing to do. To check the first one, run: homing why \(head.id)"))
    }

    private func storeGone() -> Finding? {
        guard let lostStore = obstacles.lostStore else { return nil }
        return Finding(.of(.storeGone), StoreGone.sentence(lostStore), .required(StoreGone.next))
    }

    private func diskFull() -> Finding? {
        guard obstacles.isDiskFull else { return nil }
        return Finding(
            .of(.diskFull), "The disk is full. Homing sends nothing until it can store the result.", .required("Make room on the disk."))
    }

    /// Look-ups keep failing; only a successful one helps.
    private func unseen(_ entry: Entry) -> Finding? {
        guard isStuck(entry) else { return nil }
        let when = entry.dueAt.map { $0 > moment.now ? " Homing looks it up again at \(moment.text($0))." : "" } ?? ""
        if let unfindable = unfindable(entry, sentence: when, command: "homing sync") { return unfindable }
        return Finding(
            .of(.lookUpFailing) { ($0.count, $0.at, $0.words) = (entry.looks, entry.dueAt, quoted(entry)) },
            "\(subject(entry, "This")) may already have taken effect at \(entry.destination.backend), but looking it up failed \(entry.looks) times in a row.\(said(entry))\(when)",
            .required(
                "Tell the administrator of \(entry.destination.backend) that looking up entries fails there. To look again now, run: homing sync\nIf it is there, run: \(resolve(entry))\nTo send it without looking, which may make a duplicate, run: homing retry \(entry.id) --without-looking"
            ))
    }

    /// The backend cools after an answer to this entry whose meaning the profile tells.
    private func refused(_ entry: Entry) -> Finding? {
        var times = [obstacles.routeGate?.until].compactMap(\.self)
        if case .cooling(let until, _) = obstacles.gate { times.append(until) }
        guard meaning != nil, !entry.uncertain, entry.revivedAt == nil, let next = times.max() else { return nil }
        let again = next > moment.now ? "tries again at \(moment.text(next))" : "is trying again"
        let status = entry.lastStatus.map { " (\($0))" } ?? ""
        let now = "To try now, run: homing sync"
        // While others fail too, the backend is the likely cause, and no entry should be discarded.
        let isAlone = obstacles.refusal?.id == entry.id
        let ending = later == 0 ? correctionOrDiscard(entry) : correction(entry)
        let step: NextStep = isAlone ? .required(now + ending) : retrying(entry, now)
        return Finding(
            .of(.refusedForNow) { ($0.status, $0.at, $0.words) = (entry.lastStatus, next, quoted(entry)) },
            "\(entry.destination.backend) refused \(subject(entry, "this"))\(status).\(said(entry)) Homing \(again), in case \(entry.destination.backend) itself is the cause.",
            step)
    }

    /// Homing keeps trying. But if the profile names a correction of the refused entry, only that helps.
    private func retrying(_ entry: Entry, _ now: String) -> NextStep {
        let correction = correction(entry)
        return correction.isEmpty ? .optional("Nothing to do. \(now)") : .required(now + correction)
    }

    /// Its route cools only because another entry fails.
    private func refusedOther(_ entry: Entry) -> Finding? {
        guard let refusal = obstacles.refusal, refusal.id != entry.id else { return nil }
        if case .cooling(_, let failure) = obstacles.gate, failure != obstacles.routeGate?.failure { return nil }
        return Finding(
            .of(.refusedOther) { $0.entry = "\(refusal.id)" },
            "It waits, because \(entry.destination.backend) refused another \(kind(entry)). \(refusal.sentence)",
            .optional("Nothing to do. To see the next step for that entry, run: homing why \(refusal.id)"))
    }

    /// Only this entry's route fails.
    private func failing(_ entry: Entry) -> Finding? {
        guard let routeGate = obstacles.routeGate else { return nil }
        let again = routeGate.until > moment.now ? "Homing tries again at \(moment.text(routeGate.until))." : "Homing is trying again."
        return Finding(
            .of(.routeFailing) {
                ($0.since, $0.at, $0.reason) = (routeGate.since, routeGate.until, routeGate.failure.reason.rawValue)
                $0.words = quoted(routeGate.failure.message, of: entry)
            },
            "\(entry.destination.backend) has accepted no \(kind(entry)) since \(moment.text(routeGate.since)).\(meant) \(routeGate.failure.message.asSentence) \(again)",
            retrying(entry, "To try now, run: homing sync"))
    }

    private func cooling() -> Finding? {
        guard case .cooling(let until, let failure) = obstacles.gate else { return nil }
        let again = until > moment.now ? "Homing tries again at \(moment.text(until))." : "Homing is trying again now."
        let hurry = "run: homing sync"
        let text = CoolingText(reason: failure.reason, message: failure.message, who: owner)
        let cause = Cause.of(.cooling) { ($0.reason, $0.at, $0.account) = (failure.reason.rawValue, until, owner) }
        let step = text.remedy(then: hurry).map(NextStep.required) ?? next(after: failure.reason, hurry)
        return Finding(cause, "\(text.sentence) \(again)", step)
    }

    private func next(after reason: Failure.Reason, _ hurry: String) -> NextStep {
        switch reason {
        case .throttled: .optional("Nothing to do. This wait cannot be shortened.")
        case .signInRequired: renewal("run: \(commands.login(of: owner))")
        case .stillUnauthorized:
            .required(
                "Tell the administrator of the backend. Homing keeps trying, one entry at a time. Entries refused before are on hold: retry them afterwards."
            )
        case .offline: .optional("Nothing to do. If this lasts, check the network. To try now, \(hurry)")
        default: .optional("Nothing to do. To try now, \(hurry)")
        }
    }

    /// Homing renews the session without a person, until the status asks for one.
    private func renewal(_ signIn: String) -> NextStep {
        if let since = obstacles.session?.failing?.since, moment.now.timeIntervalSince(since) >= Notices.renewalPatience {
            return .required("Homing keeps trying. If the server works in a browser, \(signIn)")
        }
        return .optional("Nothing to do. Homing renews the session automatically. To sign in now, \(signIn)")
    }

    /// The entry is due after its route's pause ends, and the backend as a whole is not paused.
    private func doubted(_ entry: Entry) -> Finding? {
        if case .cooling(_, let failure) = obstacles.gate, failure != obstacles.routeGate?.failure { return nil }
        guard let due = entry.dueAt, due > max(moment.now, obstacles.routeGate?.until ?? .distantPast) else { return nil }
        return uncertain(entry)
    }

    private func uncertain(_ entry: Entry) -> Finding? {
        guard entry.uncertain else { return nil }
        let when = entry.dueAt.map { $0 > moment.now ? " at \(moment.text($0))" : "" } ?? ""
        if route.readsRow {
            return Finding(
                .of(.doubtfulReads) { ($0.at, $0.status, $0.reason) = (entry.dueAt, entry.lastStatus, entry.lastReason?.rawValue) },
                "\(doubt(about: entry)) Homing reads the list of \(list.title.many) again\(when) to see whether it must send the entry again.",
                .optional("Nothing to do. Homing does this automatically."))
        }
        if route.canLookUp {
            return Finding(
                .of(.doubtfulLooks) { ($0.at, $0.status, $0.reason) = (entry.dueAt, entry.lastStatus, entry.lastReason?.rawValue) },
                "\(doubt(about: entry)) Homing looks the entry up\(when) before it sends it again.",
                .optional("Nothing to do. Homing does this automatically. To look now, run: homing sync"))
        }
        // See `Outbox.recall`.
        let sooner = entry.isAside && !when.isEmpty ? ", or once \(entry.destination.backend) accepts another entry like it," : ""
        return Finding(
            .of(.doubtfulSends) { ($0.at, $0.status, $0.reason) = (entry.dueAt, entry.lastStatus, entry.lastReason?.rawValue) },
            "\(doubt(about: entry)) \(entry.destination.backend) offers no way to look the entry up, so Homing sends it again\(when)\(sooner) under the same id.",
            .optional("Nothing to do. Homing does this automatically."))
    }

    /// Why the outcome of the last send is unknown, as a sentence.
    private func doubt(about entry: Entry) -> String {
        let backend = entry.destination.backend
        let unknown = "so it is not known whether it has \(subject(entry, "this"))."
        switch (entry.lastReason, entry.lastStatus) {
        case (.serverError, let status?) where entry.looks == 0: return "\(backend) answered with status \(status), \(unknown)"
        case (.throttled, let status?): return "\(backend) answered with status \(status) and asked Homing to wait, \(unknown)"
        case (.restored, _):
            let made = entry.uncertainSince.map { " of \(moment.text($0))" } ?? ""
            return "The store was restored from an older copy\(made), so it is not known whether \(backend) has \(subject(entry, "this"))."
        case (.intercepted, _): return "A login page or proxy may have answered in place of \(backend), \(unknown)"
        default: return "The answer was lost."
        }
    }

    private func backoff(_ entry: Entry) -> Finding? {
        guard let due = entry.dueAt, due > moment.now else { return nil }
        let again = "Homing tries again at \(moment.text(due))."
        let last = entry.lastError.map { "\(meant) Last error: \($0)" } ?? ""
        let sentence =
            entry.attempts > 0
            ? "Attempt \(entry.attempts) of \(attempts) failed. \(again)\(last)"
            : again.prefix(1).uppercased() + again.dropFirst() + last
        let cause = Cause.of(entry.attempts > 0 ? .retrying : .waitingForTime) {
            ($0.at, $0.reason, $0.words) = (due, entry.lastReason?.rawValue, quoted(entry))
            if entry.attempts > 0 { ($0.count, $0.limit) = (entry.attempts, attempts) }
        }
        return Finding(cause, sentence, retrying(entry, "To try now, run: homing sync"))
    }

    /// A space and the meaning of the last answer, or nothing.
    private var meant: String { meaning.map { " \($0.words.asSentence)" } ?? "" }

    private func revived(_ entry: Entry) -> Finding? {
        guard let date = entry.revivedAt else { return nil }
        let doubt = entry.mayBeRefusedAgain ? " \(entry.destination.backend) may refuse it again unless the cause is fixed." : ""
        return Finding(
            .of(.retried) {
                ($0.person, $0.at) = (entry.retriedBy, date)
                $0.reason = entry.mayBeRefusedAgain ? Failure.Reason.refused.rawValue : nil
            },
            "\(entry.retriedBy ?? "A person") retried it at \(moment.text(date)). \(turn.sentence)\(doubt)", turn.next)
    }

    /// When it is sent, and the next step.
    private var turn: (sentence: String, next: NextStep) {
        guard let date = obstacles.nextTurn, date > moment.now else {
            return ("It is the next to be sent.", .optional("Nothing to do. Homing sends it automatically."))
        }
        return (
            "It is the next to be sent, at \(moment.text(date)).",
            .optional("Nothing to do. Homing sends it automatically. To send it now, run: homing sync")
        )
    }
}
