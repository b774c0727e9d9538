import Backends
import ControlAPI
import Delivery
import Foundation
import Outbox
import Sessions
import SyncModel

/// Why an entry is in its state and what to do next. Pure. Each fact must be given: an `Optional`, unlike a `?`, has no default value.
struct Reasons {
    /// The account's display name.
    var owner: String
    var fields: [String: String]
    /// The row that the entry refers to; nil for none.
    var subjectReport: Optional<SubjectReport>
    /// The word for the row, such as `person`; nil for a backend without a profile.
    var rowTitle: Optional<String>
    /// Nil if the profile says nothing about the last answer. Follows from the others.
    var meaning: Meaning?
    /// The entry has the values of `create`'s row, so it can have no other row.
    var isFollower: Bool
    /// True if a resend may duplicate the entry: a person must resolve it.
    var retryMayDuplicate: Bool
    /// True if it was delivered after a send whose outcome nothing can tell.
    var mayBeTwice: Bool
    /// The words of the person who discarded it; nil for none, and for observers.
    var discardNote: Optional<String>
    /// Nil until it is delivered or discarded.
    var receipt: Optional<ReceiptRecord>
    /// The entry ahead, in the entry's lane or the lane before.
    var blocker: Optional<Entry>
    /// Entries before it, counted up to `Outbox.countedInLane`.
    var ahead: Int
    /// Undelivered entries of its subject that go first, up to `Outbox.countedInLane`.
    var earlier: Int
    /// Entries that it holds back in its lane while it keeps failing, up to `Outbox.countedInLane`.
    var later: Int
    /// The newest entry after this one in its lane, if a correction in that lane would overwrite it; nil for none.
    var newer: Optional<MutationID>
    /// The undelivered entry that creates this one's row; nil for none.
    var create: Optional<Entry>
    /// False while the server's id of that row is unknown.
    var isRowKnown: Bool
    /// Undelivered entries that refer to this one's row, up to `Outbox.countedInLane`.
    var dependents: Int
    var route: RouteFacts
    var list: ListFacts
    var obstacles: Obstacles
    var commands: NextCommands
    /// The limit of counted attempts.
    var attempts: Int
    /// The caller may run commands that destroy entries, or undo that.
    var mayDestroy: Bool
    var moment: Moment

    /// Why the entry is in its state, and what to do next.
    struct Finding {
        var cause: Cause
        var sentence: String
        var next: NextStep

        init(_ cause: Cause, _ sentence: String, _ next: NextStep) {
            (self.cause, self.sentence, self.next) = (cause, sentence, next)
        }
    }

    /// The meaning of the sentence, for programs that write their own.
    struct Cause: Equatable {
        let word: Explanation.Cause
        var facts = SentenceFacts()

        static func of(_ word: Explanation.Cause, _ set: (inout SentenceFacts) -> Void = { _ in }) -> Cause {
            Cause(word: word, facts: SentenceFacts(set))
        }
    }

    enum NextStep {
        /// Homing continues without a person.
        case optional(String)
        case required(String)

        var text: String {
            switch self {
            case .optional(let text), .required(let text): text
            }
        }
        var needsPerson: Bool { if case .required = self { true } else { false } }
    }

    func finding(_ entry: Entry) -> Finding {
        var found = byState(entry)
        let waiting = dependentsWait(entry)
        guard !waiting.isEmpty else { return found }
        found.sentence += waiting
        found.cause.facts.dependents = dependents
        if dependents >= Outbox.countedInLane { found.cause.facts.least = true }
        return found
    }

    private func byState(_ entry: Entry) -> Finding {
        switch entry.state {
        case .delivered: delivered(entry)
        case .discarded: discarded(entry)
        case .inflight:
            Finding(
                .of(.sending) { $0.since = entry.claimedAt },
                "\(subject(entry, "This")) is being sent\(entry.claimedAt.map { " (since \(moment.text($0)))" } ?? "").",
                .optional("Nothing to do. Ask again in a minute."))
        case .dead: dead(entry)
        case .held: ofReference(entry) ?? ofRow(entry) ?? held(entry)
        case .pending: pending(entry)
        }
    }

    private func delivered(_ entry: Entry) -> Finding {
        let remoteID = entry.remoteID.map { " with the server id \($0)" } ?? ""
        let found = receipt?.foundByLookup == true ? ", confirmed by a look-up" : receipt?.resolvedBy.map { ", as \($0) stated" } ?? ""
        let altered = receipt?.altered.map { " The server stored a different value at \($0.isEmpty ? "the top level" : $0)." } ?? ""
        let backend = entry.destination.backend
        let isUnsure = mayBeTwice && found.isEmpty
        let twice = isUnsure ? " The answer to an earlier attempt was lost, so \(backend) may have it twice." : ""
        return Finding(
            .of(.delivered) { ($0.account, $0.at, $0.reason) = (owner, entry.settledAt, isUnsure ? Explanation.doubtful : nil) },
            "Delivered to \(backend) for \(owner)\(remoteID)\(at(entry.settledAt))\(found).\(altered)\(twice)",
            .optional("To see the receipt, run: homing receipt \(entry.id)"))
    }

    private func discarded(_ entry: Entry) -> Finding {
        if let new = receipt?.supersededBy {
            return Finding(
                .of(.replaced) { ($0.entry, $0.at) = ("\(new)", entry.settledAt) },
                "Entry \(new) replaced it\(at(entry.settledAt)). Its payload was deleted.\(lastAnswer(entry))",
                .optional("To see that one, run: homing show \(new)"))
        }
        let who = receipt?.discardedBy ?? "A person"
        return Finding(
            .of(.discarded) { ($0.person, $0.at, $0.words) = (receipt?.discardedBy, entry.settledAt, discardNote) },
            "\(who) discarded it\(at(entry.settledAt)). Its payload was deleted.\(lastAnswer(entry))\(noted)",
            .optional("To see the receipt, run: homing receipt \(entry.id)"))
    }

    /// A space and the reason of the person who discarded it, or nothing.
    private var noted: String { discardNote.map { " Reason: “\($0.legible)”." } ?? "" }

    /// A space and the last answer before a discard, or nothing. The server's words were destroyed with the payload.
    private func lastAnswer(_ entry: Entry) -> String {
        guard let status = entry.lastStatus else { return "" }
        return " Before that, \(Failure.answer(status, of: entry.destination.backend))\(said(entry))"
    }

    private func dead(_ entry: Entry) -> Finding {
        let doubt = entry.mayHaveTakenEffect ? " It may have taken effect anyway." : ""
        let status = entry.lastStatus.map { " (\($0))" } ?? ""
        let wasRefused = entry.attempts == 0 || (400..<500).contains(entry.lastStatus ?? 0)
        let sentence =
            wasRefused
            ? "\(entry.destination.backend) refused \(subject(entry, "this")) for \(owner)\(status).\(said(entry))\(doubt)"
            : "\(subject(entry, "This")) failed after \(entry.attempts) attempts\(status).\(said(entry))\(doubt)"
        let cause = Cause.of(wasRefused ? .refused : .attemptsFailed) {
            ($0.account, $0.count, $0.status, $0.words) = (owner, wasRefused ? nil : entry.attempts, entry.lastStatus, quoted(entry))
            $0.reason = entry.mayHaveTakenEffect ? Explanation.doubtful : nil
        }
        return Finding(cause, sentence, .required("\(again(entry, "After fixing the cause"))\(correctionOrDiscard(entry))"))
    }

    private func held(_ entry: Entry) -> Finding {
        let backend = entry.destination.backend
        let this = subject(entry, "this")
        switch entry.holdReason {
        case .forbidden where entry.lastReason == .stillUnauthorized:
            return Finding(
                .of(.refusedAsSignedOut) { ($0.account, $0.words) = (owner, quoted(entry)) },
                "\(backend) refused \(this) as if \(owner) were signed out, although \(owner) is signed in.\(said(entry))",
                .required("\(again(entry, "If \(owner) may send it"))\(correctionOrDiscard(entry))"))
        case .forbidden:
            return Finding(
                .of(.forbidden) { ($0.account, $0.words) = (owner, quoted(entry)) },
                "\(backend) does not allow \(owner) to send \(this).\(said(entry))",
                .required("\(again(entry, "Once \(owner) has the permission"))\(correctionOrDiscard(entry))"))
        case .unknownOutcome: return ofUnknownOutcome(entry)
        case .crashes:
            return Finding(
                .of(.crashes),
                "The daemon crashed three times while sending \(this).",
                .required("Report the crash. \(again(entry, "To send it again"))\n\(discard(entry))"))
        case .unreadable: return unreadable(entry)
        case .profile:
            return Finding(
                .of(.misfit) { $0.name = entry.route },
                "\(subject(entry, "This")) does not fit the changed profile of \(backend).\(said(entry)) Homing sends it once the profile fits again.",
                .required(
                    "For the administrator: put the route \"\(entry.route)\" back into \(backend).yaml as it was, then run: systemctl reload homingd\n\(discard(entry))"
                ))
        case .dependency:
            return Finding(
                .of(.dependency),
                "\(subject(entry, "This")) depends on an entry that was not delivered.\(said(entry))",
                .required("\(again(entry, "To send it anyway"))\n\(discard(entry))"))
        case .discarding:
            return Finding(
                .of(.discarding) { ($0.person, $0.at, $0.words) = (entry.discardBy, entry.discardAt, discardNote) },
                "\(entry.discardBy ?? "A person") discarded it. Its payload will be destroyed\(at(entry.discardAt)).\(noted)",
                .optional("To undo this, \(destroying("homing undo \(entry.id)"))"))
        case .operator, nil:
            return Finding(
                .of(.heldByPerson), "A person put \(this) on hold.", .required("\(again(entry, "To send it"))\n\(discard(entry))"))
        }
    }

    private func ofUnknownOutcome(_ entry: Entry) -> Finding {
        let (backend, retry) = (entry.destination.backend, "homing retry \(entry.id)")
        if let unfindable = unfindable(entry, command: retry) { return unfindable }
        if entry.lastReason == .restored, !route.canLookUp { return sinceBackup(entry) }
        let why = route.canLookUp ? "looking it up there did not settle it" : "\(backend) offers no way to look it up"
        let again = route.canLookUp ? "\nTo look it up again, and send it only if it is missing, run: \(retry)" : ""
        return Finding(
            .of(route.canLookUp ? .lookUpUnsettled : .noLookUp) { $0.words = quoted(entry) },
            "\(subject(entry, "This")) was sent and may have taken effect, and \(why).\(said(entry))",
            .required("\(resolution(entry))\(again)"))
    }

    /// It waited when the backup was made, which is the time since when it may have been sent.
    private func sinceBackup(_ entry: Entry) -> Finding {
        let backend = entry.destination.backend
        let made = entry.uncertainSince.map { " of \(moment.text($0))" } ?? ""
        return Finding(
            .of(.sinceBackup) { $0.at = entry.uncertainSince },
            "The store was restored from an older copy\(made). \(backend) may have \(subject(entry, "this")) already, and offers no way to look it up.",
            .required(resolution(entry)))
    }

    private func unreadable(_ entry: Entry) -> Finding {
        let (backend, retry) = (entry.destination.backend, "homing retry \(entry.id)")
        let doubt = entry.uncertain ? ", and it may have been sent" : ""
        let first = entry.uncertain ? "Look for it at \(backend). If it is missing, submit" : "Submit"
        return Finding(
            .of(entry.uncertain ? .unreadableAfterSend : .unreadable),
            "The stored data of this entry cannot be read\(doubt).",
            .required(
                "\(first) the original again, then \(destroying("homing discard \(entry.id)"))\nTo try to read it again, run: \(retry)"))
    }

    /// `this measurement of Anna Example (5)`, without a name `this measurement of person 5`; or `this new person Anna Example`.
    func subject(_ entry: Entry, _ article: String) -> String {
        var known = fields
        var name = ""
        if let report = subjectReport {
            known[report.field] = nil
            if report.id == RosterID(createdBy: entry.id).rawValue {
                name = report.label.map { " \($0)" } ?? ""
            } else {
                let nameless = report.isNew == true ? "a new \(rowTitle ?? "row")" : "\(rowTitle ?? report.field) \(report.id)"
                name = " of \(report.label == nil ? nameless : report.text)"
            }
        }
        let rest = known.sorted { $0.key < $1.key }.map { "\($0.key.replacing("_", with: " ")) \($0.value)" }.joined(separator: ", ")
        return "\(article) \(kind(entry))\(name)\(rest.isEmpty ? "" : " (\(rest))")"
    }

    func kind(_ entry: Entry) -> String { route.noun ?? RosterTitle(route: entry.route).one }

    /// How to resend the entry, or how to resolve it if a resend could duplicate it.
    private func again(_ entry: Entry, _ condition: String) -> String {
        retryMayDuplicate ? resolution(entry) : "\(condition), run: homing retry \(entry.id)"
    }

    private func resolution(_ entry: Entry) -> String {
        "Look for it at \(entry.destination.backend). If it is there, run: \(resolve(entry))\nIf it is missing there, run: homing resolve \(entry.id) --not-delivered"
    }

    /// A create counts as delivered only with the id of its row.
    func resolve(_ entry: Entry) -> String {
        "homing resolve \(entry.id) --delivered\(entry.mutation.creates == nil ? "" : " REMOTE-ID")"
    }

    /// Discarding a deletion keeps the row.
    func discard(_ entry: Entry) -> String {
        "\(route.deletes ? "To cancel the deletion" : "To discard it"), \(destroying("homing discard \(entry.id)"))"
    }

    /// The end of an advice to run a command for administrators.
    func destroying(_ command: String) -> String {
        mayDestroy ? "run: \(command)" : "ask an administrator to run: \(command)"
    }

    private func at(_ date: Date?) -> String { date.map { " at \(moment.text($0))" } ?? "" }
}
