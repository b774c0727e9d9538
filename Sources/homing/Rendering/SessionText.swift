import ControlAPI
import Foundation

struct SessionText {
    let times: TimeText

    /// `anna@clinic.example, signed in since 09:12`, or why to sign in again.
    func line(_ session: SessionReport) -> String {
        let who = session.email ?? session.account ?? "an account"
        let kept = session.remembered ? ", password kept" : ""
        switch session.knownState {
        case .signedIn: return "\(who), signed in\(session.since.map { " since \(times.clock($0))" } ?? "")\(kept)"
        case .signInRequired: return "\(who) must sign in again\(session.reason.map { ": \($0)" } ?? "")"
        case .signingOut: return "\(who), signing out"
        case .signedOut: return "none signed in"
        case .unknown: return session.state
        }
    }

    /// `name` was given with a token; `elsewhere` counts the entries for the backend's former address. `forgotten` is a note about the
    /// password, and `pause` one about a pause.
    static func signedIn(
        _ session: SessionReport, named name: String? = nil, others: [WaitingAccount] = [], elsewhere: Int = 0, forgotten: String? = nil,
        pause: String? = nil
    ) -> String {
        let who = (session.email ?? session.account ?? "The account").printable
        var lines = ["\(who) is signed in at \(session.backend)."]
        if let name = name?.printable.trimmingCharacters(in: .whitespaces), name.lowercased() != who.lowercased() {
            lines.append("The account keeps the name that it already has here; the name \(name) was not used.")
        }
        if let forgotten { lines.append(forgotten) }
        lines.append(
            pause.map { "Homing does not send the waiting entries of this account yet. \($0)" }
                ?? "Homing sends the waiting entries of this account automatically. To see the progress, run: homing status")
        lines += others.map {
            "\(Words.entriesWait($0.waiting)) for \($0.email.printable) to sign in. "
                + "Signing in as another account does not send \($0.waiting == 1 ? "it" : "them")."
        }
        if elsewhere > 0 {
            let waiting = Words.entriesWait(elsewhere)
            lines.append("\(waiting) for the former address of \(session.backend). To see the next step, run: homing status")
        }
        return lines.joined(separator: "\n")
    }

    /// A note that the sign-in dropped a kept password of the account; otherwise nil.
    static func forgotten(_ session: SessionReport, before: SessionReport, backend: String?) -> String? {
        guard before.remembered, !session.remembered, let account = session.account, before.account == account else { return nil }
        let option = backend.map { " --backend \($0.asArgument)" } ?? ""
        let email = session.email.map { " --email \($0.asArgument)" } ?? ""
        let command = "homing login\(option)\(email) --remember"
        return "Homing no longer keeps the password of \(session.email ?? account). To keep it, run: \(command)".printable
    }

    /// The account about to be signed out, and its waiting entries.
    static func beforeSigningOut(_ report: BackendReport) -> String {
        let who = (report.session.email ?? report.session.account ?? "An account").printable
        let own = report.ownWaiting
        let doomed = report.discardedBySigningOut ?? 0
        let signedIn = report.session.knownState == .signInRequired ? "must sign in again" : "is signed in"
        if doomed > 0 {
            return """
                \(who) \(signedIn) at \(report.name). \(Words.entries(doomed)) of this account \(doomed == 1 ? "is" : "are") not delivered.
                Signing out discards \(doomed == 1 ? "it" : "them") for good: the profile of \(report.name) requires this when an \
                administrator signs out.
                To send waiting entries first, press Return and run: homing sync --wait
                """
        }
        guard own > 0 else { return "\(who) \(signedIn) at \(report.name). No entries of this account are waiting." }
        return """
            \(who) \(signedIn) at \(report.name). \(Words.entries(own)) of this account \(own == 1 ? "is" : "are") waiting.
            Signing out loses no data: waiting entries stay on this station until \(who) signs in again.
            """
    }

    /// True unless the server confirmed that it ended the session.
    static func leavesOtherDevices(_ report: SignOutReport) -> Bool { report.knownServer != .ended }

    /// `allDevices` is the command to sign out on all devices, if that was requested; `lists` are those before the sign-out.
    static func signedOut(
        _ report: SignOutReport, login: String = "homing login", allDevices: String? = nil, lists: [RosterSummary] = [],
        times: TimeText = TimeText(now: Date(), timeZone: .current)
    ) -> String {
        let who = (report.email ?? "The account").printable
        var lines: [String] = []
        if report.knownServer == .notAsked && report.email == nil {
            lines.append("No account was signed in at \(report.backend).")
        } else {
            lines.append("\(who) is signed out of \(report.backend) on this station.")
        }
        switch report.knownServer {
        case .ended: lines.append("The server has ended the session too.")
        case .alreadyGone: lines.append("The session had already ended on the server.")
        case .failed:
            lines.append(
                ["The session could not be ended on the server.", report.serverReason?.printable].compactMap(\.self).joined(separator: " "))
            if let until = report.owedUntil {
                lines.append("Homing keeps trying to tell the server of the sign-out, until \(times.clock(until)).")
                if let allDevices {
                    lines.append("Other devices stay signed in, because the server could not be reached.")
                    lines.append("To sign them out once there is a network, run: \(login)\nThen run: \(allDevices)")
                }
            } else if allDevices == nil {
                lines.append("It ends there when it expires. To end it now, sign in on the website and sign out there.")
            }
        case .notAsked, .unknown: break
        }
        if let allDevices, leavesOtherDevices(report), report.owedUntil == nil {
            lines.append("Other devices were not signed out. To sign them out, run: \(login)\nThen run: \(allDevices)")
        }
        if let fate = fate(of: lists, isKept: report.dataKept == true, who) { lines.append(fate) }
        if let count = report.discarded {
            lines.append(
                "\(Words.entries(count)) of \(who) \(count == 1 ? "was" : "were") discarded, as the profile of \(report.backend) requires.")
        }
        if report.waiting > 0 {
            lines.append(
                "\(Words.entries(report.waiting)) of \(who) \(report.waiting == 1 ? "is" : "are") waiting. "
                    + "To send \(report.waiting == 1 ? "it" : "them"), run: \(login)")
        }
        return lines.joined(separator: "\n")
    }

    /// The sentence about kept or deleted lists; nil if the account had none.
    private static func fate(of lists: [RosterSummary], isKept: Bool, _ who: String) -> String? {
        let titles = lists.filter { $0.readAt != nil }.map(\.title.many.printable)
        guard !titles.isEmpty else { return nil }
        let isOne = titles.count == 1
        let subject = "The stored \(isOne ? "list" : "lists") of \(titles.inWords) \(isOne ? "was" : "were")"
        return isKept
            ? "\(subject) kept. \(isOne ? "It is" : "They are") shown when \(who) signs in again." : "\(subject) deleted from this station."
    }
}

extension BackendReport {
    /// Entries that Homing delivers for the signed-in account.
    var ownWaiting: Int { max(0, queue.waiting - waitingForOthers) }
}
