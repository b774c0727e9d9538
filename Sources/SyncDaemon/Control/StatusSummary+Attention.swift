import Backends
import Capture
import ControlAPI
import Foundation
import Outbox
import SyncModel

extension StatusSummary {
    /// Most serious first.
    var attention: [Attention] {
        damages.map(Attention.init(damage:)) + shortage
            + withoutProfile.sorted { $0.key < $1.key }.map { name, count in
                Attention(
                    .noProfile,
                    text: "\(Self.captures(count)) for \(name) cannot be sent, because no profile of that name is configured.",
                    next: "Put \(name).yaml back into the profile folder, then reload: ‘systemctl reload homingd’, or SIGHUP.",
                    backend: name)
            } + backends.flatMap(attention(for:)) + files + (rejectedConfiguration.map { [Attention(rejectedConfiguration: $0)] } ?? [])
    }

    private var shortage: [Attention] {
        switch room {
        case .enough: []
        case .diskFull:
            [
                Attention(
                    .diskFull,
                    text: "The disk is full: Homing accepts no new captures. Waiting entries are still sent, using the reserve.",
                    next: "Make room on the disk. Homing then continues by itself.")
            ]
        case .nothingLeft:
            [
                Attention(
                    .diskFull,
                    text:
                        "The disk is full: Homing accepts no new captures. It also sends nothing, because it could not store the results.",
                    next: "Make room on the disk. Homing then continues by itself.")
            ]
        case .overLimit(let limit):
            [
                Attention(
                    .outboxFull, text: "The outbox has reached its limit of \(limit >> 20) MiB: Homing accepts no new captures.",
                    next: "Wait for deliveries to make room, or raise outbox.max_bytes in the configuration and restart the daemon.")
            ]
        }
    }

    private func attention(for backend: BackendReport) -> [Attention] {
        var items: [Attention] = []
        let commands = NextCommands(backend: backends.count > 1 ? backend.name : nil)
        let isItsSpool = spoolBackend == nil || spoolBackend == backend.name
        let dropped = isItsSpool ? waitingFiles : 0
        let login = backend.signInCommand ?? commands.login
        let queue = backend.queue
        if queue.dead > 0 {
            items.append(
                Attention(
                    .dead,
                    text:
                        "\(Self.captures(queue.dead)) for \(backend.name) \(queue.dead == 1 ? "was" : "were") refused or ran out of attempts. \(queue.dead == 1 ? "It is" : "They are") kept.",
                    next: "See them with ‘homing list --state dead’, ask ‘homing why ID’, then ‘homing retry ID’ or ‘homing discard ID’."))
        }
        if queue.held > 0 {
            items.append(
                Attention(
                    .held,
                    text:
                        "\(Self.captures(queue.held)) for \(backend.name) \(queue.held == 1 ? "is on hold and needs" : "are on hold and need") your decision.",
                    next: "See them with ‘homing list --state held’, then ask ‘homing why ID’."))
        }
        if queue.unseen > 0 {
            let them = queue.unseen == 1 ? "it" : "them"
            items.append(
                Attention(
                    .lookUpFailing,
                    text:
                        "\(Self.captures(queue.unseen)) may already be delivered to \(backend.name), but looking \(them) up keeps failing. Homing does not send \(them) again before that.",
                    next:
                        "Find \(them) with ‘homing list --state pending’, then ask ‘homing why ID’. To look again now, run ‘homing sync’."))
        }
        items += failingRoutes(of: backend)
        if let former = backend.formerAddress, let count = backend.waitingForFormerAddress {
            items.append(
                Attention(
                    .otherAddress,
                    text:
                        "\(Self.captures(count)) \(count == 1 ? "was" : "were") accepted for \(former), but \(backend.name) is now \(backend.baseURL).",
                    next:
                        "Put the old address back into \(backend.name).yaml or, if it is the same service, add ‘formerly: [\(former)]’ there. Then reload the daemon: ‘systemctl reload homingd’, or SIGHUP."
                ))
        }
        let mine = queue.waiting - backend.waitingForOthers
        if backend.coolingCause == .profile {
            let waiting = mine > 0 ? ", and \(Self.captures(mine)) \(mine == 1 ? "is" : "are") waiting" : ""
            items.append(
                Attention(
                    .misconfigured,
                    text: "\(backend.name) does not match its profile\(waiting): \((backend.gateReason ?? "").asSentence)",
                    next:
                        "Tell the maintainer of the profile \(backend.name).yaml. Signing in again does not help. Nothing is lost."
                ))
        }
        if let cause = backend.coolingCause, cause == .tls || cause == .clock {
            let text = CoolingText(reason: cause, message: backend.gateReason ?? "")
            let waiting = mine > 0 ? ", and \(Self.captures(mine)) \(mine == 1 ? "is" : "are") waiting" : ""
            items.append(
                Attention(
                    cause == .tls ? .noSecureConnection : .clock,
                    text: "Homing cannot send to \(backend.name)\(waiting), because \(text.cause): \(text.message.asSentence)",
                    next: text.remedy(then: "Homing continues by itself") ?? "Try again later."))
        }
        if backend.session.knownState == .signInRequired {
            let waiting = mine > 0 ? ", and \(Self.captures(mine)) \(mine == 1 ? "is" : "are") waiting" : ""
            items.append(
                Attention(
                    .signInRequired,
                    text:
                        "The session of \(backend.session.email ?? "the account") at \(backend.name) has ended\(waiting)\(SessionReport.because(backend.session.reason))",
                    next: "Sign in again with ‘\(login)’."))
        } else if backend.session.knownState == .signedOut, backend.waitingForPeople + dropped > 0 {
            let waiting = backend.waitingForPeople + dropped
            items.append(
                Attention(
                    .signInRequired,
                    text:
                        "Not signed in at \(backend.name). \(Self.captures(waiting)) \(waiting == 1 ? "is" : "are") waiting.",
                    next: (backend.awaited.map { "\($0) has to sign in with ‘\(login)’." } ?? "Sign in with ‘\(login)’.")
                        + (isItsSpool ? claimingToo : "")))
        }
        if let since = backend.session.failingSince, moment.now.timeIntervalSince(since) >= 3600 {
            let waiting = mine > 0 ? ", and \(Self.captures(mine)) \(mine == 1 ? "is" : "are") waiting" : ""
            items.append(
                Attention(
                    .sessionFailing,
                    text:
                        "The session of \(backend.session.email ?? "the account") at \(backend.name) has not been renewed for over an hour\(waiting): \((backend.session.failure ?? "").asSentence)",
                    next: "Homing keeps trying. If the server works in a browser, sign in again with ‘\(login)’."))
        }
        if let pause = backend.pause, isForgotten(pause, of: backend) {
            items.append(
                Attention(
                    .paused, text: "Sending to \(backend.name): \(PauseText(pause: pause, moment: moment).sentence)",
                    next: "Resume with ‘\(commands.resume)’, or set an end with ‘\(commands.pause)’."))
        }
        for other in backend.otherAccounts where backend.session.isSignedIn {
            items.append(
                Attention(
                    .otherAccount,
                    text:
                        "\(Self.captures(other.waiting)) of \(other.email) \(other.waiting == 1 ? "is" : "are") waiting at \(backend.name) until that account signs in.",
                    next:
                        "\(commands.change(from: backend.session.email ?? "the signed-in account", to: other.email, by: other.signInCommand ?? login)) Homing sends \(other.waiting == 1 ? "it" : "them") only as \(other.email)."
                ))
        }
        return items.map { item in
            var item = item
            item.backend = backend.name
            return item
        }
    }

    /// Routes that fail for longer than a short outage while entries wait.
    private func failingRoutes(of backend: BackendReport) -> [Attention] {
        guard backend.queue.waiting > backend.waitingForOthers, backend.session.isSignedIn, backend.pause == nil else { return [] }
        return (backend.coolingRoutes ?? []).filter { moment.now.timeIntervalSince($0.since) >= Self.patience }.map { route in
            Attention(
                .routeFailing,
                text:
                    "\(backend.name) has accepted no \(route.route) since \(moment.text(route.since)), and captures are waiting. \(route.reason.asSentence)",
                next:
                    "Tell the administrator of \(backend.name). Nothing is lost: Homing tries again by itself. To try now, run ‘homing sync’."
            )
        }
    }

    /// In seconds.
    private static let patience: TimeInterval = 300

    /// A pause without an end counts as forgotten after a day; one with an end after a week with waiting captures.
    private func isForgotten(_ pause: PauseReport, of backend: BackendReport) -> Bool {
        let age = moment.now.timeIntervalSince(pause.since)
        return pause.until == nil ? age >= 86_400 : age >= 7 * 86_400 && backend.queue.waiting > 0
    }

    private var files: [Attention] {
        var items: [Attention] = []
        if let text = spoolFailureText {
            items.append(
                Attention(
                    .dropFolderFailing, text: text,
                    next: "Fix the cause. The daemon tries again by itself, at the latest after 30 seconds."))
        }
        if spool.stuck > 0, let file = spool.stuckExample {
            items.append(
                Attention(
                    .stuckFiles,
                    text:
                        "\(spool.stuck == 1 ? "1 file in the drop folder cannot" : "\(spool.stuck) files in the drop folder cannot") be accepted\(spool.stuck == 1 ? "" : ", among them"): \(file.path): \(file.reason).",
                    next: file.next))
        }
        if claimable > 0, let backend = spoolReport { items.append(claim(for: backend)) }
        if spool.refused > 0 {
            items.append(
                Attention(
                    .refusedFiles,
                    text:
                        "\(spool.refused == 1 ? "1 dropped file was" : "\(spool.refused) dropped files were") refused and not sent.",
                    next:
                        "Read the .reason file beside each in \(spool.directory)/refused, fix the file, and drop it into \(spool.directory)/new again."
                ))
        }
        return items
    }
}

extension StatusSummary {
    /// The claim step after a sign-in.
    fileprivate var claimingToo: String {
        guard spool.unclaimed > 0, unclaimed == .ask else { return "" }
        return
            " \(Self.droppedFiles(spool.unclaimed)) \(spool.unclaimed == 1 ? "is" : "are") waiting to be claimed: to send \(spool.unclaimed == 1 ? "it" : "them") as your own, add --claim."
    }

    fileprivate func claim(for backend: BackendReport) -> Attention {
        let files = "\(claimable == 1 ? "1 file was" : "\(claimable) files were") dropped while signed out"
        let (account, it) = (backend.session.email ?? backend.session.account ?? "the signed-in account", claimable == 1 ? "it" : "them")
        return unclaimed == .hold
            ? Attention(
                .unclaimedFiles, text: "\(files) and \(claimable == 1 ? "is" : "are") on hold.",
                next: "To send \(it) as \(account), an administrator runs: homing claim", backend: backend.name)
            : Attention(
                .unclaimedFiles, text: "\(files). \(claimable == 1 ? "Is it" : "Are they") yours?",
                next: "To send \(it) as \(account), run: homing claim", backend: backend.name)
    }
}

extension SessionReport {
    /// `: why.` after a sentence about an ended session, or a full stop.
    static func because(_ reason: String?) -> String {
        reason.flatMap { $0 == "the session has ended" ? nil : ": \($0.asSentence)" } ?? "."
    }
}
