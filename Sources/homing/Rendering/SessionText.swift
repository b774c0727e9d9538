import ControlAPI
import Foundation

/// Who is signed in, and what signing in and out came to.
struct SessionText {
    let times: TimeText

    /// `anna@clinic.example, signed in since 09:12`, or who has to sign in again and why.
    func line(_ session: SessionReport) -> String {
        let who = session.email ?? session.account ?? "somebody"
        let kept = session.remembered ? ", password kept" : ""
        switch session.state {
        case "signedIn": return "\(who), signed in\(session.since.map { " since \(times.clock($0))" } ?? "")\(kept)"
        case "signInRequired": return "\(who) must sign in again\(session.reason.map { ": \($0)" } ?? "")"
        case "signingOut": return "\(who), signing out"
        case "signedOut": return "nobody is signed in"
        default: return session.state
        }
    }

    /// - Parameters:
    ///   - name: the name that was given with a token, if one was.
    ///   - others: people for whom captures wait there besides.
    ///   - elsewhere: how many captures were taken for the address that the backend had before.
    static func signedIn(
        _ session: SessionReport, named name: String? = nil, others: [WaitingAccount] = [], elsewhere: Int = 0
    ) -> String {
        let who = (session.email ?? session.account ?? "You").printable
        var lines = ["\(who) is signed in at \(session.backend)."]
        if let name = name?.printable.trimmingCharacters(in: .whitespaces), name.lowercased() != who.lowercased() {
            lines.append("The account is known by that name here, and keeps it: not \(name).")
        }
        lines.append("What waits for this account goes up by itself; ‘homing status’ tells how far it is.")
        lines += others.map {
            "\(Words.entriesWait($0.waiting)) for \($0.email.printable): nobody else’s sign-in sends \($0.waiting == 1 ? "it" : "them")."
        }
        if elsewhere > 0 {
            let waiting = Words.entriesWait(elsewhere)
            lines.append("\(waiting) for the address that \(session.backend) had before: ‘homing status’ says what to do.")
        }
        return lines.joined(separator: "\n")
    }

    /// Who is about to be signed out, and what waits for them.
    static func beforeSigningOut(_ report: BackendReport) -> String {
        let who = (report.session.email ?? report.session.account ?? "Somebody").printable
        let own = report.ownWaiting
        let doomed = report.discardedBySigningOut ?? 0
        let signedIn = report.session.state == "signInRequired" ? "must sign in again" : "is signed in"
        if doomed > 0 {
            return """
                \(who) \(signedIn) at \(report.name). \(Words.entries(doomed)) of this account \(doomed == 1 ? "has" : "have") not gone up.
                Signing out destroys \(doomed == 1 ? "it" : "them") for ever: the profile of \(report.name) wants it so when an administrator signs out.
                To have what still waits sent first, answer no and use ‘homing sync --wait’.
                """
        }
        guard own > 0 else { return "\(who) \(signedIn) at \(report.name). Nothing waits to be sent for this account." }
        return """
            \(who) \(signedIn) at \(report.name). \(Words.entriesWait(own)) to be sent for this account.
            Nothing is lost by signing out: what waits stays safe here until \(who) signs in again.
            """
    }

    /// Whether the server is not known to have ended what it was asked to end on other devices.
    static func leavesOtherDevices(_ report: SignOutReport) -> Bool { report.server != "ended" }

    /// - Parameters:
    ///   - login: the command that signs in there again.
    ///   - allDevices: the command that signs out on all devices, where that was wanted.
    static func signedOut(_ report: SignOutReport, login: String = "homing login", allDevices: String? = nil) -> String {
        let who = (report.email ?? "The account").printable
        var lines: [String] = []
        if report.server == "none" && report.email == nil {
            lines.append("Nobody was signed in at \(report.backend).")
        } else {
            lines.append("\(who) is signed out of \(report.backend) on this station.")
        }
        switch report.server {
        case "ended": lines.append("The server has ended the session too.")
        case "alreadyGone": lines.append("On the server the session had ended already.")
        case "failed":
            lines.append(["The server could not be told.", report.serverReason?.printable].compactMap(\.self).joined(separator: " "))
            if allDevices == nil {
                lines.append("There the session ends when it expires; to end it now, sign in on the website and sign out there.")
            }
        default: break
        }
        if let allDevices, leavesOtherDevices(report) {
            lines.append("Other devices were not signed out. To do that, sign in with ‘\(login)’, then use ‘\(allDevices)’.")
        }
        if let count = report.discarded {
            lines.append(
                "\(Words.entries(count)) of \(who) \(count == 1 ? "was" : "were") destroyed, as the profile of \(report.backend) wants it.")
        }
        if report.waiting > 0 {
            lines.append("\(Words.entriesWait(report.waiting)) for \(who): sign in again with ‘\(login)’ to send what waits.")
        }
        return lines.joined(separator: "\n")
    }
}

extension BackendReport {
    /// Entries that go up by themselves under the account signed in now.
    var ownWaiting: Int { max(0, queue.waiting - waitingForOthers) }
}
