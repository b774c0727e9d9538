import Capture
import ControlAPI
import Outbox
import Salvage
import SyncModel

/// Problems that need a person. The order of `Attention.Code` is their severity.
struct Notices {
    let summary: StatusSummary

    /// Most serious first.
    var all: [Attention] {
        let all = station + summary.backends.flatMap(about)
        return Attention.Code.allCases.flatMap { code in all.filter { $0.knownCode == code } }
    }

    private var station: [Attention] {
        lostStore + summary.damages.map(damaged) + missingProfiles
            + [deletedKey, shortage, lowDisk, failingSpool, stuckFiles, refusedFiles, unclaimedFiles, rejectedConfiguration].compactMap(
                \.self)
    }

    private func damaged(_ report: SalvageReport) -> Attention {
        var next: [String] = []
        if report.missing > 0 || report.mayMissMore {
            next.append(
                "Compare your records with the entries, and submit missing captures again; Homing recognises those that it has by their ids. To list the entries, run: homing list"
            )
        }
        if report.unreadable > 0 { next.append("To list the entries on hold, run: homing list --state held") }
        next.append(
            "Have the disk and the memory tested. The damaged files are in \(report.folder). To end this notice, move that folder away.")
        return Attention(.storeDamaged, report.sentence, next: next.joined(separator: "\n")).stating {
            ($0.at, $0.count, $0.least, $0.path) = (report.at, report.missing, report.mayMissMore ? true : nil, report.folder)
        }
    }

    private var lostStore: [Attention] {
        guard case .gone(let path) = summary.room else { return [] }
        return [Attention(.storeGone, StoreGone.sentence(path), next: StoreGone.next).stating { $0.path = path }]
    }

    /// Not for a lost store, whose steps save the key too.
    private var deletedKey: Attention? {
        if case .gone = summary.room { return nil }
        return summary.deletedKey.map { path, steps in
            Attention(.keyDeleted, KeyGone.sentence(path), next: steps).stating { $0.path = path }
        }
    }

    private var shortage: Attention? {
        switch summary.room {
        case .enough, .gone: nil
        case .diskFull: diskFull("accepts no new captures")
        case .nothingLeft: diskFull("can neither accept nor send captures").stating { $0.reason = Attention.nothingLeft }
        case .overLimit(let limit):
            Attention(
                .outboxFull, "The outbox is full: Homing accepts no new captures until there is room.",
                next: """
                    Deliveries make room. Entries that have failed or are on hold take room until you decide on them.
                    To list the failed entries, run: homing list --state failed
                    To list the entries on hold, run: homing list --state held
                    You can also raise outbox.max_bytes (\(limit >> 20) MiB) in the configuration. Then send SIGHUP, or run: systemctl reload homingd
                    """
            ).stating { $0.bytes = limit }
        }
    }

    /// Before the disk is full; afterwards `shortage` says so.
    private var lowDisk: Attention? {
        guard let free = summary.lowSpace, ![.diskFull, .nothingLeft].contains(summary.room) else { return nil }
        return Attention(
            .diskLow, "The disk is nearly full: \(free >> 20) MiB are free.",
            next: "Make room on the disk. When it is full, Homing accepts no new captures."
        ).stating { $0.bytes = free }
    }

    private func diskFull(_ effect: String) -> Attention {
        Attention(.diskFull, "The disk is full: Homing \(effect).", next: "Make room on the disk. Homing then continues automatically.")
    }

    private var missingProfiles: [Attention] {
        summary.withoutProfile.sorted { $0.key < $1.key }.map { name, number in
            let kinds = summary.kinds[name] ?? [:]
            let count = Count(number, among: kinds.filter { ![.delivered, .discarded].contains($0.key) }.values.flatMap(\.self).merged)
            return Attention(
                .noProfile, "\(count) cannot be sent: the backend \(name) no longer has a profile.",
                next: NextCommands.restoreProfile(of: name), backend: name
            ).stating { $0.count = number }
        }
    }

    private var failingSpool: Attention? {
        guard let failure = summary.spoolFailure else { return nil }
        let files = Count(some: summary.spool.waiting, "dropped file").map { " \($0) \($0.are) waiting there." } ?? ""
        return Attention(
            .dropFolderFailing, "The drop folder cannot be emptied: \(failure.asSentence)\(files)",
            next: "Fix the cause. The daemon tries again within 30 seconds."
        ).stating { $0.count = summary.spool.waiting }
    }

    private var stuckFiles: Attention? {
        guard summary.spool.stuck > 0, let file = summary.spool.stuckExample else { return nil }
        let files = Count(summary.spool.stuck, "file")
        return Attention(
            .stuckFiles, "\(files) in the drop folder cannot be accepted\(files.pick("", ", among them")): \(file.path): \(file.reason).",
            next: file.next
        ).stating { ($0.count, $0.path, $0.reason) = (files.number, file.path, file.cause) }
    }

    private var refusedFiles: Attention? {
        guard let files = Count(some: summary.spool.refused, "dropped file") else { return nil }
        let folder = "\(summary.spool.directory)/refused"
        let shown = (summary.spool.refusedFiles ?? []).prefix(Self.namedFiles).map(\.asArgument)
        let more = shown.isEmpty ? 0 : files.number - shown.count
        let names = (shown + (more > 0 ? ["\(more) more"] : [])).inWords
        let name = files.number == 1 && !shown.isEmpty ? shown[0] : "NAME"
        let each = files.number == 1 || shown.isEmpty ? "" : " for each of \(names)"
        let says = files.number == 1 || summary.spool.refusedPlaces?.isEmpty != false ? "says why" : "says why, and where it was dropped"
        return Attention(
            .refusedFiles, "\(files) \(files.were) refused and not sent.",
            next:
                "\(files.pick("Its .reason file", "The .reason file beside each")) in \(folder) \(says). Fix \(files.them) and drop \(files.them) \(droppedAgain(files)).\nTo end this notice, the user who dropped \(files.them), or an administrator, runs\(each): homing discard --file \(name) --reason TEXT\(files.pick("", "\nTo discard all of them, run: homing discard --all-files --reason TEXT"))\(more > 0 ? "\nTo see all names, run: ls \(folder.asArgument)" : "")"
        ).stating { ($0.count, $0.path) = (files.number, folder) }
    }

    /// How to drop them again. Only its folder names the user of a plain capture, and a capture with a user may be in that folder too.
    private func droppedAgain(_ files: Count) -> String {
        let places = (summary.spool.refusedPlaces ?? [:]).values.sorted()
        let new = "\(summary.spool.directory)/new"
        guard let first = places.first else { return "again" }
        // A folder with another name than a number may be the reason for the refusal.
        let isUserKnown = places.allSatisfy { $0.prefixMatch(of: /users\/[0-9]+\//) != nil }
        let create = places.contains { $0.hasPrefix("users/@") } ? ", or @ and the id of the entry that creates the user" : ""
        let id = "where ID is the user’s number\(create)"
        if files.number == 1 {
            let name = first.split(separator: "/").last ?? ""
            return isUserKnown ? "again as \(new)/\(first)" : "again as \(new)/users/ID/\(name), \(id)"
        }
        return isUserKnown
            ? "there again" : "there again. A file that does not name its user, or names a wrong one, goes to \(new)/users/ID/, \(id)"
    }

    private static let namedFiles = 3

    private var unclaimedFiles: Attention? {
        guard let files = Count(some: summary.claimable, "file"), let backend = summary.spoolReport else { return nil }
        let isOnHold = summary.unclaimed == .hold
        let named = summary.spool.firstUnclaimed.map { "\(files.pick("It", "The first one")) was dropped as new/\($0).\n" } ?? ""
        return Attention(
            .unclaimedFiles,
            "\(files) \(files.were) dropped while signed out\(isOnHold ? " and \(files.are) on hold." : files.pick(". Is it yours?", ". Are they yours?"))",
            next:
                "\(named)To send \(files.them) as \(backend.session.email ?? backend.session.account ?? "the signed-in account"), \(isOnHold ? "an administrator runs" : "run"): homing claim",
            backend: backend.name
        ).stating {
            ($0.count, $0.account) = (files.number, backend.session.email ?? backend.session.account)
            ($0.path, $0.reason) = (summary.spool.firstUnclaimed, isOnHold ? Attention.onHold : nil)
        }
    }

    private var rejectedConfiguration: Attention? {
        summary.rejectedConfiguration.map { reason in
            Attention(
                .configurationRejected, "The changed configuration is not active, because \(reason). The previous one is active.",
                next: "To see all mistakes, run: homingd check\nAfter fixing them, run: systemctl reload homingd")
        }
    }
}
