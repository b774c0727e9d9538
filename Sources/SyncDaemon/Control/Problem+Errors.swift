import Backends
import Capture
import ControlAPI
import Foundation
import Outbox
import SyncModel
import Vault

extension Problem {
    init(_ error: OutboxError) {
        switch error {
        case .idConflict(let id):
            self.init(
                .idConflict, status: 409, title: "The id is taken", detail: "The id \(id) was accepted before, with other content.",
                next: "Hand it in under an id of its own; what was accepted before stays as it is.")
        case .discarded(let id, let who, let date):
            let actor = who.map { " by \($0)" } ?? ""
            self.init(
                .discarded, status: 409, title: "It was discarded",
                detail:
                    "Entry \(id) was discarded\(actor) on \(Moment(now: .distantPast).text(date)). It is not accepted again and will not be sent.",
                next: "To send it after all, submit it under a new id: homing submit FILE --id NEW-ID")
        case .notFound(let id): self = .notFound("There is no entry \(id).", next: "Look for it with ‘homing list’.")
        case .wrongState(_, .inflight):
            self.init(
                .wrongState, status: 409, title: "It is being sent", detail: "This entry is being sent at this moment.",
                next: "Try again in a few seconds.")
        case .wrongState(_, let state):
            self.init(
                .wrongState, status: 409, title: "Not in this state",
                detail: "This entry is \(state.rawValue) already; nothing was changed.")
        case .full:
            self.init(
                .storageFailed, status: 507, title: "The disk is full",
                detail: "The disk has no room for this capture, so it was not accepted.",
                next: "Make room on the disk; what was accepted before is safe and goes on being sent.")
        case .overLimit(let limit):
            self.init(
                .outboxFull, status: 507, title: "The outbox is full",
                detail: "The outbox has reached its limit of \(limit >> 20) MiB, so nothing more can be accepted for now.",
                next:
                    "What was accepted before is safe and goes on being sent, which makes room. See ‘homing status’, or raise outbox.max_bytes."
            )
        case .storage(let words):
            self.init(
                .storageFailed, status: 500, title: "The store failed", detail: "The store could not be read or written: \(words)",
                next: "Look at the disk and at the daemon’s log.")
        case .damaged(let words):
            self.init(
                .storageFailed, status: 500, title: "The store is damaged", detail: "The store is damaged: \(words)",
                next: "Try again in a moment: what can be read is being saved into a new store. Then see ‘homing status’.")
        case .tooNew:
            self.init(
                .storageFailed, status: 500, title: "The store is too new", detail: "A newer version of Homing has written this store.",
                next: "Install that version again.")
        }
    }

    init(_ error: IntakeError, commands: (String) -> NextCommands) {
        switch error {
        case .unknownBackend(let name, let known):
            self = .notFound("There is no backend ‘\(name)’; there is: \(known.joined(separator: ", ")).")
        case .backendNotNamed(let known):
            self = .invalid(
                "It is not said to which backend this goes: \(known.joined(separator: ", ")).",
                next: "Name one of them with --backend (or backend= in the query).")
        case .signInRequired(let backend):
            self.init(
                .signInRequired, status: 409, title: "Nobody is signed in",
                detail: "Nobody is signed in at \(backend), so it is not known whose data this is. Nothing was stored.",
                next: "Sign in with ‘\(commands(backend).login)’ and hand it in again.")
        case .notUnderstood(let sentence): self = .invalid(sentence)
        case .tooLarge(let size, let limit):
            self.init(
                .tooLarge, status: 413, title: "Too large",
                detail: "The document has \(size) bytes; at most \(limit) (\(limit >> 20) MiB) can be sent.",
                next: "It can never be sent as it is; tell whoever made it.")
        case .outbox(let error): self.init(error)
        }
    }

    init(_ error: SignOutError, at backend: String, _ commands: NextCommands) {
        switch error {
        case .leftWaiting:
            self.init(
                .stopping, status: 503, title: "Not finished",
                detail: "The daemon was stopped before the sign-out at \(backend) had ended.",
                next: "It is finished at the next start; see ‘homing status’.")
        case .allDevicesUnsupported:
            self.init(
                .unsupported, status: 409, title: "Not possible there",
                detail: "\(backend) cannot end the sessions of all devices. Nothing was changed.",
                next: "Sign out of this one without --all-devices.")
        case .narrowerUnderWay:
            self.init(
                .wrongState, status: 409, title: "Signing out already",
                detail: "A sign-out of this device alone is under way at \(backend); it does not end the sessions of other devices.",
                next: "Sign in again once it has ended, and sign out with --all-devices; or end the others on the website.")
        case .otherAccount(let account):
            let who = account?.label ?? "another account"
            self.init(
                .wrongState, status: 409, title: "Somebody else is signed in",
                detail: "At \(backend) it is \(who) by now, and not the account that was to be signed out. Nothing was changed.",
                next: "See who is signed in, and what waits, with ‘homing status’; to sign \(who) out, use ‘\(commands.logout)’ again.")
        case .unsent(let count):
            self.init(
                .wrongState, status: 409, title: "Not everything has gone up",
                detail:
                    "\(StatusSummary.captures(count)) \(count == 1 ? "has" : "have") not gone up, and this backend’s profile forbids signing out before that.",
                next: "Wait for them (‘homing sync --wait’), or sign out all the same with --force: they stay safe here, and wait.")
        case .kept(let reason):
            self.init(
                .backendUnreachable, status: 503, title: "Still signed in",
                detail:
                    "You are still signed in at \(backend): the server could not be told, and its profile keeps the session then. \(reason)",
                next: "Sign out again with ‘\(commands.logout)’ when the server is well; what is captured is safe here.")
        case .uncounted(let words):
            self.init(
                .storageFailed, status: 500, title: "The store failed",
                detail: "Whether everything has gone up could not be found out, so nobody was signed out: \(words)",
                next: "Look at the disk and at the daemon’s log.")
        case .unsaved(let error):
            self.init(
                .storageFailed, status: 507, title: "The sign-out could not be stored", detail: error.description,
                next: "Make room on the disk and sign out again.")
        }
    }
}
