import Backends
import Capture
import ControlAPI
import ControlServer
import Foundation
import Outbox
import Sessions
import SyncModel
import Vault

extension OutboxError: ProblemConvertible {
    package var problem: Problem { Problem(self) }
}

extension Problem {
    init(_ error: OutboxError) {
        switch error {
        case .idConflict(let id):
            self.init(
                .idConflict, status: 409, title: "The id is taken",
                detail: "The id \(id) was used before, for other content. The earlier entry is unchanged, and nothing was stored.",
                next: "Keep your copy, and report an error in the program that made the id.")
        case .discarded(let id, let who, let date): self = .discarded(id, by: who, on: date)
        case .replaced(let id, let new, let date): self = .replaced(id, by: new, on: date)
        case .notFound(let id): self = .notFound("There is no entry \(id).", next: "To find it, run: homing list")
        case .unknownName(let name): self = .notFound("There is no entry with \(name).", next: Self.namingAnEntry)
        case .ambiguousName(let name, let candidates): self = .ambiguous(name, candidates)
        case .wrongState(let id, let state): self = .wrongState(id, state)
        case .noSuchCreate(let id): self = .noSuchCreate(id)
        case .createDiscarded(let id): self = .createDiscarded(id)
        case .createReplaced(let id, let new): self = .createReplaced(id, by: new)
        case .needs(let id, let state): self = .needs(id, state)
        case .full:
            self.init(
                .storageFailed, status: 507, title: "The disk is full",
                detail: "The disk has no room for this entry, so it was not accepted.",
                next: "Make room on the disk. Entries accepted before are safe and are still sent.")
        case .overLimit(let limit): self = .outboxFull(limit)
        case .neverFits(let limit), .tooLarge(_, let limit): self = .neverFits(limit)
        case .storage(let words):
            self.init(
                .storageFailed, status: 500, title: "The store failed", detail: "The store could not be read or written: \(words)",
                next: "Check the disk and the daemon’s log.")
        case .gone(let path):
            self.init(
                .storeGone, status: 507, title: "The store was deleted or replaced", detail: StoreGone.sentence(path),
                next: StoreGone.next)
        case .damaged(let words):
            self.init(
                .storageFailed, status: 500, title: "The store is damaged", detail: "The store is damaged: \(words)",
                next: "Homing is saving the readable data into a new store. Try again in a moment. To see the result, run: homing status")
        case .tooNew:
            self.init(
                .storageFailed, status: 500, title: "The store is too new", detail: "A newer version of Homing has written this store.",
                next: "Install that version again.")
        case .isBackup:
            self.init(
                .storageFailed, status: 500, title: "The store is a backup",
                detail: "The store file is a backup that was not restored.",
                next: "To restore it, run: sudo homingd restore FILE")
        case .beingDiscarded(let id, let date): self = .beingDiscarded(id, until: date)
        case .notUncertain(let id): self = .notUncertain(id)
        case .needsRemoteID(let id): self = .needsRemoteID(id)
        case .rowTaken(let id): self = .rowTaken(by: id)
        case .mayBeDelivered(let id): self = .mayBeDelivered(id)
        case .hasDependents(let id): self = .hasDependents(id)
        case .hasNewer(let id, let newer): self = .hasNewer(id, newer: newer)
        case .unreadable(let id):
            self.init(
                .storageFailed, status: 500, title: "The entry cannot be read",
                detail: "The stored data of entry \(id) cannot be read.",
                next: "Submit the original again under a new id. Then an administrator runs: homing discard \(id)")
        }
    }

    private static func outboxFull(_ limit: Int64) -> Problem {
        Problem(
            .outboxFull, status: 507, title: "The outbox is full",
            detail: "The outbox has reached its limit of \(limit >> 20) MiB, so this entry was not accepted.",
            next:
                "Entries accepted before are safe, and delivering them makes room. You can also raise outbox.max_bytes. To see the queue, run: homing status"
        )
    }

    private static func neverFits(_ limit: Int64) -> Problem {
        Problem(
            .outboxFull, status: 507, title: "It does not fit in the outbox",
            detail:
                "This entry does not fit in the outbox, which is limited to \(limit >> 20) MiB, and no delivery makes room for it. It was not accepted.",
            next: """
                Keep your copy. Waiting does not help. Entries that have failed or are on hold take room until someone decides on them.
                To list the failed entries, run: homing list --state failed
                To list the entries on hold, run: homing list --state held
                If there are none, or the entry still does not fit, an administrator must raise outbox.max_bytes in the configuration, and then send SIGHUP or run: systemctl reload homingd
                """
        ).stating { ($0.reason, $0.bytes) = ("neverFits", limit) }
    }

    /// - Parameters:
    ///   - noun: for the submission.
    ///   - field: of its route, for the row that it is about; nil for none.
    init(_ error: IntakeError, of noun: String, field: String?, commands: (String) -> NextCommands) {
        switch error {
        case .unknownBackend(let name, let known): self = .unknownBackend(name, known: known)
        case .backendNotNamed(let known): self = .backendNotNamed(known: known)
        case .signInRequired(let backend):
            self.init(
                .signInRequired, status: 409, title: "Not signed in",
                detail: "Not signed in at \(backend), so this \(noun) has no account to belong to. Nothing was stored.",
                next: "Sign in, then submit it again. To sign in, run: \(commands(backend).login)")
        case .notUnderstood(let sentence): self = .invalid(sentence)
        case .tooLarge(let size, let limit):
            self.init(
                .tooLarge, status: 413, title: "Too large",
                detail: "The payload has \(size) bytes; at most \(limit) (\(limit >> 20) MiB) can be sent.",
                next: "It can never be sent unchanged. Tell the maintainer of the program that made it.")
        case .outbox(.noSuchCreate(let id)): self = .noSuchCreate(id, in: field)
        case .outbox(.createDiscarded(let id)): self = .createDiscarded(id, in: field)
        case .outbox(.createReplaced(let id, let new)): self = .createReplaced(id, by: new, in: field)
        case .outbox(let error): self.init(error)
        }
    }

    static func mayDuplicate(_ entry: Entry) -> Problem {
        let (backend, resolve) = (entry.destination.backend, "homing resolve \(entry.id)")
        return Problem(
            .mayDuplicate, status: 409, title: "It may exist twice",
            detail:
                "Entry \(entry.id) was sent and may have taken effect, and Homing cannot look it up at \(backend): sent again, it may exist twice. Nothing was changed.",
            next:
                "Look for it at \(backend). If it is there, run: \(resolve) --delivered\(entry.mutation.creates == nil ? "" : " REMOTE-ID")\nIf it is missing there, run: \(resolve) --not-delivered\nTo send it anyway, which may make a second one, run: homing retry \(entry.id) --without-looking"
        )
    }

    /// - Parameter create: of the row that the entry belongs to.
    static func belongsToNewRow(_ id: MutationID, create: MutationID, _ title: Resource.Title, edit: String) -> Problem {
        Problem(
            .wrongState, status: 409, title: "It belongs to a new \(title.one)",
            detail:
                "Entry \(id) gives the \(title.one) that entry \(create) creates the values that were submitted with it, so it cannot go to another \(title.one). Nothing was changed.",
            next:
                "To change another \(title.one), run: \(edit)\nIf these values must not be sent, an administrator runs: homing discard \(id)"
        ).stating(.belongsToNewRow) { $0.entry = create.description }
    }

    static func notRestorable(_ id: MutationID, _ state: Entry.State) -> Problem {
        Problem(
            .wrongState, status: 409, title: "Nothing to undo",
            detail: state == .discarded
                ? "Entry \(id) was discarded, and its payload is destroyed." : "Entry \(id) is not being discarded. Nothing was changed.",
            next: state == .discarded ? "Submit the original again under a new id." : "To see its state, run: homing why \(id)"
        ).stating(state == .discarded ? .payloadGone : .notDiscarded)
    }

    static func unknownBackend(_ name: String, known: [String]) -> Problem {
        .notFound("There is no backend ‘\(name)’. Configured: \(known.joined(separator: ", ")).")
    }

    static func backendNotNamed(known: [String]) -> Problem {
        .invalid(
            "More than one backend is configured: \(known.joined(separator: ", ")).",
            next: "Name one of them with --backend (or backend= in the query).")
    }

    static func notAName(_ text: String) -> Problem {
        .invalid("‘\(text.legible)’ is not an entry number or id.", next: namingAnEntry).stating(.notAName) { $0.words = text.legible }
    }

    private static let namingAnEntry = """
        Give an entry's number, its id, or at least 4 characters from the beginning or end of the id. To find it, run: homing list
        """

    static func afterFailure(_ error: OutboxError, then action: String) -> String {
        error == .full
            ? "Free space on the disk, then \(action)."
            : "Check the daemon’s log, then \(action). To see the state, run: homing status"
    }

    init(_ error: SignOutError, at backend: String, _ commands: NextCommands) {
        switch error {
        case .cancelled:
            self.init(
                .stopping, status: 503, title: "Not finished",
                detail: "The daemon stopped before the sign-out at \(backend) was complete.",
                next: "The daemon completes it at the next start. To see the state, run: homing status")
        case .allDevicesUnsupported:
            self.init(
                .unsupported, status: 409, title: "Not supported",
                detail: "\(backend) cannot end the sessions of all devices. Nothing was changed.",
                next: "To sign out of this device only, run: \(commands.logout)")
        case .narrowerInProgress:
            self.init(
                .wrongState, status: 409, title: "Already signing out",
                detail: "A sign-out of this device only is in progress at \(backend). It does not end the sessions of other devices.",
                next:
                    "End the other sessions on the website, or wait until this sign-out has finished.\nTo sign in again, run: \(commands.login)\nThen to sign out of all devices, run: \(commands.logout) --all-devices"
            )
        case .otherAccount(let account):
            let who = account?.label ?? "another account"
            self = Problem(
                .wrongState, status: 409, title: "Another account is signed in",
                detail: "At \(backend), \(who) is signed in now, not the account that was to be signed out. Nothing was changed.",
                next: "To see the signed-in account and its entries, run: homing status\nTo sign \(who) out, run: \(commands.logout)"
            ).stating(.otherAccount) { $0.account = account?.label }
        case .unsent(let count):
            self = Problem(
                .wrongState, status: 409, title: "Entries are waiting",
                detail: "\(Words.entriesWait(count)), and the profile of \(backend) forbids signing out before delivery.",
                next:
                    "The entries stay safe here.\nTo wait for their delivery, run: homing sync --wait\nTo sign out anyway, run: \(commands.logout) --force"
            ).stating(.unsent) { $0.count = count }
        case .kept(let reason):
            self = Problem(
                .backendUnreachable, status: 503, title: "Still signed in",
                detail:
                    "You are still signed in at \(backend). Homing could not end the session on the server, and the profile then keeps it. \(reason.asSentence)",
                next: "Your captures are safe here. When the server works again, run: \(commands.logout)"
            ).stating { $0.reason = "stillSignedIn" }
        case .uncounted(let words):
            self.init(
                .storageFailed, status: 500, title: "The store failed",
                detail: "Homing could not count the undelivered entries, so it did not sign out: \(words)",
                next: "Check the disk. To see the daemon’s log, run: journalctl -u homingd -n 20")
        case .unsaved(let error):
            self.init(
                .storageFailed, status: 507, title: "The sign-out could not be stored",
                detail: "The store failed: \(error.description.asSentence)",
                next: Self.afterFailure(error, then: "sign out again"))
        }
    }
}
