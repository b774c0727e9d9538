import ControlAPI
import Foundation

struct SessionText {
    let times: TimeText

    /// `anna@clinic.example, signed in since 09:12`, or the account and the reason to sign in again.
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
    ///   - name: the name given with a token.
    ///   - elsewhere: the number of entries accepted for the backend's former address.
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

    /// The account about to be signed out, and its waiting entries.
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

    /// True unless the server confirmed that it ended the session.
    static func leavesOtherDevices(_ report: SignOutReport) -> Bool { report.server != "ended" }

    /// - Parameter allDevices: the command to sign out on all devices, if that was requested.
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
    /// Entries that Homing delivers for the signed-in account.
    var ownWaiting: Int { max(0, queue.waiting - waitingForOthers) }
}
