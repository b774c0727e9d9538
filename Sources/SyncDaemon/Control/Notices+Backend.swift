import Capture
import ControlAPI
import Foundation
import Outbox
import SyncModel

extension Notices {
    func about(_ backend: BackendReport) -> [Attention] {
        var items = [
            failed(backend), held(backend), unseen(backend), formerAddress(backend), cooling(backend), signIn(backend),
            failingSession(backend), forgottenPause(backend),
        ].compactMap(\.self)
        items += failingRoutes(backend) + otherAccounts(backend) + failingLists(backend)
        for index in items.indices { items[index].backend = backend.name }
        return items
    }

    private func failed(_ backend: BackendReport) -> Attention? {
        guard let captures = count(backend.queue.dead, backend, in: [.dead]) else { return nil }
        return Attention(
            .dead,
            "\(captures)\(of(.dead, backend)) for \(backend.name) \(captures.were) refused or ran out of attempts. \(captures.pick("It is", "They are")) kept.",
            next: "To list \(captures.them), run: homing list --state failed\nTo see the next step for an entry, run: homing why ID"
        ).stating { ($0.count, $0.name, $0.subject) = (captures.number, common(.dead, backend)?.text, common(.dead, backend)) }
    }

    private func held(_ backend: BackendReport) -> Attention? {
        guard let captures = count(backend.queue.held, backend, in: [.held]) else { return nil }
        return Attention(
            .held,
            "\(captures)\(of(.held, backend)) for \(backend.name) \(captures.are) on hold and \(captures.pick("needs", "need")) your decision.",
            next: "To list \(captures.them), run: homing list --state held\nTo see the next step for an entry, run: homing why ID"
        ).stating { ($0.count, $0.name, $0.subject) = (captures.number, common(.held, backend)?.text, common(.held, backend)) }
    }

    /// ` of Anna Example (28)`, or nothing.
    private func of(_ state: Entry.State, _ backend: BackendReport) -> String { common(state, backend).map { " of \($0.text)" } ?? "" }

    private func common(_ state: Entry.State, _ backend: BackendReport) -> SubjectReport? {
        summary.commonNames[backend.name]?[state]
    }

    private func unseen(_ backend: BackendReport) -> Attention? {
        guard let captures = count(backend.queue.unseen, backend) else { return nil }
        return Attention(
            .lookUpFailing,
            "\(captures) may already be delivered to \(backend.name), but looking \(captures.them) up keeps failing. Homing does not send \(captures.them) again before that.",
            next:
                "To list \(captures.them), run: homing list --state pending\nTo see the reason for an entry, run: homing why ID\nTo look again now, run: homing sync"
        ).stating { $0.count = captures.number }
    }

    /// Routes that fail for longer than a short outage while entries wait; at once if one entry alone is refused, which only a person can
    /// correct, also during a pause.
    private func failingRoutes(_ backend: BackendReport) -> [Attention] {
        guard backend.ownWaiting > 0, backend.session.isSignedIn else { return [] }
        return (backend.coolingRoutes ?? []).compactMap { route -> Attention? in
            if let entry = route.entry {
                // The refused one is among the waiting ones.
                let others = max(0, backend.ownWaiting - 1)
                return Attention(
                    .routeFailing, "\(backend.name) refused one \(route.kind.one)\(Words.othersWait(others)): \(route.reason.asSentence)",
                    next: "To see the next step, run: homing why \(EntryName.short(entry))"
                ).stating { ($0.count, $0.name, $0.title, $0.entry) = (others, route.kind.one, route.kind, entry) }
            }
            guard backend.pause == nil, moment.now.timeIntervalSince(route.since) >= Self.patience else { return nil }
            return Attention(
                .routeFailing,
                "\(backend.name) has accepted no \(route.kind.one) since \(moment.text(route.since))\(andWaiting(backend)). \(route.reason.asSentence)",
                next:
                    "Tell the administrator of \(backend.name). Nothing is lost: Homing keeps trying. To try now, run: homing sync\(heldBack(backend, route))"
            ).stating { ($0.count, $0.name, $0.title, $0.since) = (backend.ownWaiting, route.kind.one, route.kind, route.since) }
        }
    }

    /// A line with the number of entries that another one holds back, and the remedy; or nothing.
    private func heldBack(_ backend: BackendReport, _ route: CoolingRoute) -> String {
        guard let (first, count) = summary.heldBack[backend.name]?[route.route] else { return "" }
        let id = EntryName.short(first)
        let least = count >= Outbox.countedInLane ? "At least " : ""
        let later = count == 1 ? "1 later entry waits" : "\(least)\(count) later entries wait"
        return "\n\(later) behind \(id), because their order matters. To see the next step for that entry, run: homing why \(id)"
    }

    /// In seconds.
    private static let patience: TimeInterval = 300

    private func formerAddress(_ backend: BackendReport) -> Attention? {
        guard let former = backend.formerAddress, let captures = count(backend.waitingForFormerAddress ?? 0, backend) else { return nil }
        return Attention(
            .otherAddress, "\(captures) \(captures.were) accepted for \(former), but \(backend.name) is now \(backend.baseURL).",
            next: NextCommands.restoreAddress(former, of: backend.name)
        ).stating { ($0.count, $0.address) = (captures.number, former) }
    }

    /// Causes that do not pass by themselves.
    private func cooling(_ backend: BackendReport) -> Attention? {
        guard let cause = backend.coolingCause else { return nil }
        let text = CoolingText(reason: cause, message: backend.gateReason ?? "")
        let words = text.message.asSentence
        let code: Attention.Code
        switch cause {
        case .tls: code = .noSecureConnection
        case .clock: code = .clock
        case .intercepted: code = .networkSignIn
        case .profile:
            return Attention(
                .misconfigured, "\(backend.name) does not match its profile\(andWaiting(backend)): \(words)",
                next:
                    "Tell the administrator of this station: \(backend.name).yaml must be corrected. Signing in again does not help. Nothing is lost."
            ).stating { $0.count = backend.ownWaiting }
        default: return nil
        }
        return Attention(
            code, "Homing cannot send to \(backend.name)\(andWaiting(backend)), because \(text.cause): \(words)",
            next: text.remedy(then: "Homing continues automatically.") ?? "Try again later."
        ).stating { ($0.count, $0.reason) = (backend.ownWaiting, cause.rawValue) }
    }

    private func signIn(_ backend: BackendReport) -> Attention? {
        let login = login(backend)
        let isItsSpool = summary.isSpool(of: backend)
        let files = isItsSpool ? summary.waitingFiles : 0
        switch backend.session.knownState {
        case .signInRequired:
            let waiting = andWaiting(backend, files: files)
            return Attention(
                .signInRequired,
                "The session of \(backend.session.email ?? "the account") at \(backend.name) has ended\(waiting)\(SessionReport.because(backend.session.reason))",
                next: "To sign in again, run: \(login)"
            ).stating { ($0.count, $0.account, $0.reason) = (backend.ownWaiting + files, backend.session.email, Attention.ended) }
        case .signedOut:
            guard let captures = count(backend.waitingForPeople + files, backend, files: files) else { return nil }
            return Attention(
                .signInRequired, "Not signed in at \(backend.name). \(captures) \(captures.are) waiting.",
                next: "To sign in\(backend.awaited.map { " as \($0)" } ?? ""), run: \(login)\(isItsSpool ? claimingToo : "")"
            ).stating { ($0.count, $0.account) = (captures.number, backend.awaited) }
        case .signedIn, .signingOut, .unknown: return nil
        }
    }

    /// The claim step after a sign-in.
    private var claimingToo: String {
        guard let files = Count(some: summary.spool.unclaimed, "dropped file"), summary.unclaimed == .ask else { return "" }
        return "\n\(files) \(files.are) waiting to be claimed: to send \(files.them) as your own, add --claim."
    }

    /// Seconds for which Homing tries to renew a session before it asks a person.
    static let renewalPatience: TimeInterval = 3600

    private func failingSession(_ backend: BackendReport) -> Attention? {
        guard let since = backend.session.failingSince, moment.now.timeIntervalSince(since) >= Self.renewalPatience else { return nil }
        return Attention(
            .sessionFailing,
            "The session of \(backend.session.email ?? "the account") at \(backend.name) has not been renewed for over an hour\(andWaiting(backend)): \((backend.session.failure ?? "").asSentence)",
            next: "Homing keeps trying. If the server works in a browser, run: \(login(backend))"
        ).stating { ($0.count, $0.account, $0.since) = (backend.ownWaiting, backend.session.email, since) }
    }

    /// A pause that a person may have forgotten: after a restore or an older copy at once, without an end after a day, otherwise after a week
    /// with waiting captures.
    private func forgottenPause(_ backend: BackendReport) -> Attention? {
        guard let pause = backend.pause else { return nil }
        let age = [Pause.restore, Pause.olderCopy].contains(pause.by) ? .infinity : moment.now.timeIntervalSince(pause.since)
        guard pause.until == nil ? age >= 86_400 : age >= 7 * 86_400 && backend.queue.waiting > 0 else { return nil }
        let commands = commands(backend)
        return Attention(
            .paused, "Sending to \(backend.name): \(PauseText(pause: pause, moment: moment).sentence)",
            next: "To resume, run: \(commands.resume)\nTo set an end, run: \(commands.pause)"
        ).stating {
            ($0.person, $0.since, $0.until) = (pause.by, pause.since, pause.until)
            $0.words = pause.reason.isEmpty ? nil : pause.reason
        }
    }

    private func otherAccounts(_ backend: BackendReport) -> [Attention] {
        guard backend.session.isSignedIn else { return [] }
        let present = backend.session.email ?? "the signed-in account"
        return backend.otherAccounts.map { other in
            let captures = Count(other.waiting, among: summary.kinds.at([backend], in: EntryKinds.waiting))
            let change = commands(backend).change(from: present, to: other.email, by: other.signInCommand ?? login(backend))
            return Attention(
                .otherAccount, "\(captures) of \(other.email) \(captures.are) waiting at \(backend.name) until that account signs in.",
                next: "Homing sends \(captures.them) only as \(other.email).\n\(change)"
            ).stating { ($0.count, $0.account) = (other.waiting, other.email) }
        }
    }

    /// `, and 2 captures are waiting`, or nothing.
    private func andWaiting(_ backend: BackendReport, files: Int = 0) -> String {
        count(backend.ownWaiting + files, backend, files: files).map { ", and \($0) \($0.are) waiting" } ?? ""
    }

    /// Entries in these states, with dropped files; nil for none.
    private func count(
        _ number: Int, _ backend: BackendReport, in states: [Entry.State] = EntryKinds.waiting, files: Int = 0
    ) -> Count? {
        Count(some: number, among: summary.kinds.at([backend], in: states, files: files))
    }

    private var moment: Moment { summary.moment }

    private func commands(_ backend: BackendReport) -> NextCommands {
        NextCommands(backend: summary.backends.count > 1 ? backend.name : nil)
    }

    private func login(_ backend: BackendReport) -> String { backend.signInCommand ?? commands(backend).login }
}

extension BackendReport {
    /// Entries that the signed-in account can send.
    var ownWaiting: Int { queue.waiting - waitingForOthers }
}

extension SessionReport {
    /// `: why.` after a sentence about an ended session, or a full stop.
    static func because(_ reason: String?) -> String {
        reason.flatMap { $0 == "the session has ended" ? nil : ": \($0.asSentence)" } ?? "."
    }
}
