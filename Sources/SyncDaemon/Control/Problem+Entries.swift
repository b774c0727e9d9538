import ControlAPI
import Foundation
import Outbox
import SyncModel

/// Requests that an entry, or one that it refers to, does not allow.
extension Problem {
    static func ambiguous(_ name: EntryName, _ candidates: [EntryCandidate]) -> Problem {
        let listed = candidates.prefix(Outbox.mostCandidates).map { "#\($0.sequence) \(EntryName.short($0.id.description))" }
        let more = candidates.count > listed.count ? " and more" : ""
        return .invalid(
            "Several entries have \(name): \(listed.joined(separator: ", "))\(more).",
            next: "Give the entry's number, or more characters of its id."
        ).stating(.ambiguousName) { $0.words = name.part ?? name.number.map { "\($0)" } }
    }

    // MARK: Its state

    static func discarded(_ id: MutationID, by who: String?, on date: Date) -> Problem {
        let actor = who.map { " by \($0)" } ?? ""
        return Problem(
            .discarded, status: 409, title: "Discarded before",
            detail:
                "Entry \(id) was discarded\(actor) on \(Moment(now: .distantPast).text(date)). It is not accepted again and will not be sent.",
            next: "To send it anyway, submit it under a new id: homing submit FILE --id NEW-ID")
    }

    /// - Parameter new: has the place of the entry, mostly with the same capture: that under a new id would be a second measurement.
    static func replaced(_ id: MutationID, by new: MutationID, on date: Date) -> Problem {
        let problem = Problem(
            .discarded, status: 409, title: "Replaced before",
            detail:
                "Entry \(id) was replaced by entry \(new) on \(Moment(now: .distantPast).text(date)). It is not accepted again and will not be sent.",
            next: "Do not submit it under another id. To look at the new entry before you delete your copy, run: homing show \(new)")
        return problem.naming(successor: new)
    }

    /// A change of an entry that another one has replaced.
    static func changeOfReplaced(_ id: MutationID, by new: MutationID) -> Problem {
        let problem = Problem(
            .wrongState, status: 409, title: "Replaced before",
            detail: "Entry \(id) was corrected: entry \(new) replaced it. Nothing was changed.",
            next: "To see the state of the new entry and the next step, run: homing why \(new)")
        return problem.naming(successor: new)
    }

    /// The server has the capture already.
    static func fixOfDelivered(_ id: MutationID) -> Problem {
        Problem(
            .wrongState, status: 409, title: "It was delivered",
            detail: "Entry \(id) was delivered. Nothing was changed.",
            next:
                "A delivered entry can be corrected only on the server. To see the receipt, with the server id, run: homing receipt \(id)"
        ).stating(.isDelivered)
    }

    /// - Parameter newID: names an entry already, which is not the correction of `id` with these fields.
    static func fixConflict(_ newID: MutationID, of id: MutationID) -> Problem {
        Problem(
            .idConflict, status: 409, title: "The id is taken",
            detail: "The id \(newID) was used before, for another entry or for other values. Nothing was changed.",
            next:
                "To see the entry with that id, run: homing why \(newID)\nIf entry \(id) must still be corrected, repeat the fix with another id for the new entry."
        )
    }

    /// With the entry that replaced the one in question.
    func naming(successor new: MutationID) -> Problem {
        var problem = stating(.corrected) { $0.entry = new.description }
        problem.supersededBy = new.description
        return problem
    }

    static func beingDiscarded(_ id: MutationID, until date: Date) -> Problem {
        Problem(
            .wrongState, status: 409, title: "Being discarded",
            detail: "A person discarded entry \(id). Its payload will be destroyed on \(Moment(now: .distantPast).text(date)).",
            next: "To undo this, an administrator runs: homing undo \(id)"
        ).stating(.beingDiscarded) { $0.at = date }
    }

    static func wrongState(_ id: MutationID, _ state: Entry.State) -> Problem {
        if state == .inflight {
            return Problem(
                .wrongState, status: 409, title: "Being sent", detail: "Entry \(id) is being sent now. Nothing was changed.",
                next: "Try again in a few seconds."
            ).stating(.isBeingSent)
        }
        return Problem(
            .wrongState, status: 409, title: "Not in this state", detail: "Entry \(id) \(words(for: state)). Nothing was changed.",
            next: "To see its state, run: homing why \(id)"
        ).stating(reason(of: state))
    }

    private static func words(for state: Entry.State) -> String {
        switch state {
        case .pending: "is waiting"
        case .inflight: "is being sent"
        case .delivered: "was delivered"
        case .dead: "has failed"
        case .held: "is on hold"
        case .discarded: "was discarded"
        }
    }

    private static func reason(of state: Entry.State) -> Reason {
        switch state {
        case .pending: .isWaiting
        case .inflight: .isBeingSent
        case .delivered: .isDelivered
        case .dead: .hasFailed
        case .held: .isOnHold
        case .discarded: .isDiscarded
        }
    }

    // MARK: The row that it refers to

    /// - Parameter field: has the reference; nil if it is unknown.
    static func noSuchCreate(_ id: MutationID, in field: String? = nil) -> Problem {
        .invalid(
            "\(reference(to: id, in: field)), but this account has no such entry.",
            next: "Submit the entry that creates the row first."
        ).stating(.noSuchCreate) { $0.entry = id.description }
    }

    static func createDiscarded(_ id: MutationID, in field: String? = nil) -> Problem {
        Problem(
            .wrongState, status: 409, title: "The row was discarded",
            detail: "\(reference(to: id, in: field)), but that entry was discarded. Nothing was accepted.",
            next: "Create the row again under a new id, and submit this entry for that one."
        ).stating(.createDiscarded) { $0.entry = id.description }
    }

    /// - Parameter new: creates the row: created again under a third id, the row would exist twice.
    static func createReplaced(_ id: MutationID, by new: MutationID, in field: String? = nil) -> Problem {
        Problem(
            .wrongState, status: 409, title: "The row has another reference",
            detail: "\(reference(to: id, in: field)), but entry \(new) replaced that entry and creates the row. Nothing was accepted.",
            next: "Do not create the row again. Give the reference @\(new) instead."
        ).stating(.createReplaced) { $0.entry = new.description }
    }

    private static func reference(to id: MutationID, in field: String?) -> String {
        let value = field.map { "The field \"\($0)\" is @\(id), which" } ?? "The value @\(id)"
        return "\(value) refers to a row that entry \(id) was to create"
    }

    static func needs(_ id: MutationID, _ state: Entry.State) -> Problem {
        // A create on hold may have taken effect, or a person is discarding it: a retry is not always right.
        let (but, next, reason): (String, String, Reason) =
            switch state {
            case .dead: ("failed", "After fixing the cause, run: homing retry \(id)\nHoming then sends this entry too.", .neededFailed)
            case .discarded: ("was discarded", "Submit its payload for another row.", .neededDiscarded)
            default: ("is on hold", "To see the reason and the next step, run: homing why \(id)", .neededHeld)
            }
        return Problem(
            .wrongState, status: 409, title: "It needs another entry",
            detail: "It refers to a row that entry \(id) was to create, but that entry \(but). Nothing was changed.",
            next: next
        ).stating(reason) { $0.entry = id.description }
    }

    // MARK: Resolving it

    static func notUncertain(_ id: MutationID) -> Problem {
        Problem(
            .wrongState, status: 409, title: "Nothing to resolve",
            detail: "Homing knows what became of entry \(id), so there is nothing to resolve. Nothing was changed.",
            next: "To see its state and the next step, run: homing why \(id)"
        ).stating(.notUncertain)
    }

    static func needsRemoteID(_ id: MutationID) -> Problem {
        Problem(
            .invalidRequest, status: 400, title: "The server's id is missing",
            detail:
                "Entry \(id) creates a row, such as a person, and other entries may refer to it. Homing needs the id that the server gave it. Nothing was changed.",
            next:
                "Look for the row at the server. If it is there, run: homing resolve \(id) --delivered REMOTE-ID\nIf it is missing there, run: homing resolve \(id) --not-delivered"
        ).stating(.remoteIDMissing)
    }

    static func rowTaken(by id: MutationID) -> Problem {
        Problem(
            .wrongState, status: 409, title: "Another entry created it",
            detail: "Entry \(id) created the row with that id, so another entry cannot have created it too. Nothing was changed.",
            next: "Look for another row at the server. To see the one of that entry, run: homing receipt \(id)"
        ).stating(.rowTaken) { $0.entry = id.description }
    }

    // MARK: Replacing it

    /// A submission that was to replace an entry that the account does not have.
    static func replacesUnknown(_ id: MutationID) -> Problem {
        .notFound(
            "This account has no entry \(id) to replace. Nothing was stored.",
            next: "To find the right entry, run: homing list\nIf yours replaces none, submit it without --supersedes.")
    }

    /// A submission that was to replace an entry that was delivered or discarded.
    static func replacesSettled(_ id: MutationID, _ state: Entry.State) -> Problem {
        Problem(
            .wrongState, status: 409, title: "It cannot be replaced",
            detail: "Entry \(id) \(words(for: state)), so no entry can replace it. Nothing was stored.",
            next: "To see the receipt, run: homing receipt \(id)\n"
                + "To send yours \(state == .delivered ? "as well" : "anyway"), submit it without --supersedes."
        ).stating(reason(of: state))
    }

    static func mayBeDelivered(_ id: MutationID) -> Problem {
        Problem(
            .wrongState, status: 409, title: "It may be delivered",
            detail: "Entry \(id) is being sent or may have taken effect, so it cannot be replaced. Nothing was changed.",
            next: "To see its state and the next step, run: homing why \(id)"
        ).stating(.mayBeDelivered)
    }

    static func hasDependents(_ id: MutationID) -> Problem {
        Problem(
            .wrongState, status: 409, title: "Other entries need it",
            detail: "Other entries refer to what entry \(id) creates, so it cannot be replaced. Nothing was changed.",
            next:
                "To see those entries, run: homing list --user @\(id)\nAn administrator can discard those first. Or an administrator discards entry \(id), and you submit all of them again."
        ).stating(.hasDependents)
    }

    /// - Parameter newer: a change of the same row. The replacement would be sent after it, so that the older values would win.
    static func hasNewer(_ id: MutationID, newer: MutationID) -> Problem {
        Problem(
            .wrongState, status: 409, title: "There is a newer change",
            detail:
                "Entry \(newer) is newer than entry \(id). A replacement of entry \(id) would be sent after it and overwrite it. Nothing was changed.",
            next:
                "To see the newer entry, run: homing show \(newer)\nTo let the newer one win, an administrator runs: homing discard \(id)\nIf the older values still count, first submit them as a new change."
        ).stating(.hasNewer) { $0.entry = newer.description }
    }
}
