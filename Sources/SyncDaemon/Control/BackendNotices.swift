import Capture
import ControlAPI
import Foundation
import SyncModel

/// The attention list of one backend.
struct BackendNotices {
    let summary: StatusSummary
    let backend: BackendReport

    /// Most serious first.
    var all: [Attention] {
        [
            failed, held, unseen, failingRoutes, formerAddress, misconfigured, noSecureConnection, signInRequired, sessionFailing,
            forgottenPause, otherAccounts,
        ].flatMap(\.self)
    }

    private var failed: [Attention] {
        let count = backend.queue.dead
        guard count > 0 else { return [] }
        return notice(
            .dead,
            "\(captures(count)) for \(backend.name) \(count == 1 ? "was" : "were") refused or ran out of attempts. \(count == 1 ? "It is" : "They are") kept.",
            next: "See them with ‘homing list --state dead’, ask ‘homing why ID’, then ‘homing retry ID’ or ‘homing discard ID’.")
    }

    private var held: [Attention] {
        let count = backend.queue.held
        guard count > 0 else { return [] }
        return notice(
            .held,
            "\(captures(count)) for \(backend.name) \(count == 1 ? "is on hold and needs" : "are on hold and need") your decision.",
            next: "See them with ‘homing list --state held’, then ask ‘homing why ID’.")
    }

    private var unseen: [Attention] {
        let count = backend.queue.unseen
        guard count > 0 else { return [] }
        let them = count == 1 ? "it" : "them"
        return notice(
            .lookUpFailing,
            "\(captures(count)) may already be delivered to \(backend.name), but looking \(them) up keeps failing. Homing does not send \(them) again before that.",
            next: "Find \(them) with ‘homing list --state pending’, then ask ‘homing why ID’. To look again now, run ‘homing sync’.")
    }

    /// Routes that fail for longer than a short outage while entries wait.
    private var failingRoutes: [Attention] {
        guard waiting > 0, backend.session.isSignedIn, backend.pause == nil else { return [] }
        return (backend.coolingRoutes ?? []).filter { moment.now.timeIntervalSince($0.since) >= Self.patience }.flatMap { route in
            notice(
                .routeFailing,
                "\(backend.name) has accepted no \(route.route) since \(moment.text(route.since)), and captures are waiting. \(route.reason.asSentence)",
                next:
                    "Tell the administrator of \(backend.name). Nothing is lost: Homing tries again by itself. To try now, run ‘homing sync’."
            )
        }
    }

    /// In seconds.
    private static let patience: TimeInterval = 300

    private var formerAddress: [Attention] {
        guard let former = backend.formerAddress, let count = backend.waitingForFormerAddress else { return [] }
        return notice(
            .otherAddress,
            "\(captures(count)) \(count == 1 ? "was" : "were") accepted for \(former), but \(backend.name) is now \(backend.baseURL).",
            next:
                "Put the old address back into \(backend.name).yaml or, if it is the same service, add ‘formerly: [\(former)]’ there. Then reload the daemon: ‘systemctl reload homingd’, or SIGHUP."
        )
    }

    private var misconfigured: [Attention] {
        guard backend.coolingCause == .profile else { return [] }
        return notice(
            .misconfigured, "\(backend.name) does not match its profile\(andWaiting): \((backend.gateReason ?? "").asSentence)",
            next: "Tell the maintainer of the profile \(backend.name).yaml. Signing in again does not help. Nothing is lost.")
    }

    private var noSecureConnection: [Attention] {
        guard let cause = backend.coolingCause, cause == .tls || cause == .clock else { return [] }
        let text = CoolingText(reason: cause, message: backend.gateReason ?? "")
        return notice(
            cause == .tls ? .noSecureConnection : .clock,
            "Homing cannot send to \(backend.name)\(andWaiting), because \(text.cause): \(text.message.asSentence)",
            next: text.remedy(then: "Homing continues by itself") ?? "Try again later.")
    }

    private var signInRequired: [Attention] {
        switch backend.session.knownState {
        case .signInRequired:
            return notice(
                .signInRequired,
                "The session of \(backend.session.email ?? "the account") at \(backend.name) has ended\(andWaiting)\(SessionReport.because(backend.session.reason))",
                next: "Sign in again with ‘\(login)’.")
        case .signedOut:
            let count = backend.waitingForPeople + (isItsSpool ? summary.waitingFiles : 0)
            guard count > 0 else { return [] }
            return notice(
                .signInRequired, "Not signed in at \(backend.name). \(captures(count)) \(count == 1 ? "is" : "are") waiting.",
                next: (backend.awaited.map { "\($0) has to sign in with ‘\(login)’." } ?? "Sign in with ‘\(login)’.")
                    + (isItsSpool ? claimingToo : ""))
        case .signedIn, .signingOut, .unknown: return []
        }
    }

    private var sessionFailing: [Attention] {
        guard let since = backend.session.failingSince, moment.now.timeIntervalSince(since) >= 3600 else { return [] }
        return notice(
            .sessionFailing,
            "The session of \(backend.session.email ?? "the account") at \(backend.name) has not been renewed for over an hour\(andWaiting): \((backend.session.failure ?? "").asSentence)",
            next: "Homing keeps trying. If the server works in a browser, sign in again with ‘\(login)’.")
    }

    private var forgottenPause: [Attention] {
        guard let pause = backend.pause, isForgotten(pause) else { return [] }
        return notice(
            .paused, "Sending to \(backend.name): \(PauseText(pause: pause, moment: moment).sentence)",
            next: "Resume with ‘\(commands.resume)’, or set an end with ‘\(commands.pause)’.")
    }

    /// A pause without an end counts as forgotten after a day; one with an end after a week with waiting captures.
    private func isForgotten(_ pause: PauseReport) -> Bool {
        let age = moment.now.timeIntervalSince(pause.since)
        return pause.until == nil ? age >= 86_400 : age >= 7 * 86_400 && backend.queue.waiting > 0
    }

    private var otherAccounts: [Attention] {
        guard backend.session.isSignedIn else { return [] }
        return backend.otherAccounts.flatMap { other in
            notice(
                .otherAccount,
                "\(captures(other.waiting)) of \(other.email) \(other.waiting == 1 ? "is" : "are") waiting at \(backend.name) until that account signs in.",
                next:
                    "\(commands.change(from: backend.session.email ?? "the signed-in account", to: other.email, by: other.signInCommand ?? login)) Homing sends \(other.waiting == 1 ? "it" : "them") only as \(other.email)."
            )
        }
    }

    private func notice(_ code: Attention.Code, _ text: String, next: String) -> [Attention] {
        [Attention(code, text: text, next: next, backend: backend.name)]
    }

    private func captures(_ count: Int) -> String { StatusSummary.captures(count) }

    private var moment: Moment { summary.moment }
    private var commands: NextCommands { NextCommands(backend: summary.backends.count > 1 ? backend.name : nil) }
    private var login: String { backend.signInCommand ?? commands.login }

    /// Entries that the signed-in account can send.
    private var waiting: Int { backend.queue.waiting - backend.waitingForOthers }
    private var andWaiting: String { waiting > 0 ? ", and \(captures(waiting)) \(waiting == 1 ? "is" : "are") waiting" : "" }

    private var isItsSpool: Bool { summary.spoolBackend == nil || summary.spoolBackend == backend.name }

    /// The claim step after a sign-in.
    private var claimingToo: String {
        let count = summary.spool.unclaimed
        guard count > 0, summary.unclaimed == .ask else { return "" }
        let (verb, them) = count == 1 ? ("is", "it") : ("are", "them")
        return " \(StatusSummary.droppedFiles(count)) \(verb) waiting to be claimed: to send \(them) as your own, add --claim."
    }
}

extension SessionReport {
    /// `: why.` after a sentence about an ended session, or a full stop.
    static func because(_ reason: String?) -> String {
        reason.flatMap { $0 == "the session has ended" ? nil : ": \($0.asSentence)" } ?? "."
    }
}
