import ControlAPI
import Foundation

/// The checks whose facts are in the status.
extension Doctor {
    var station: [Finding] {
        guard case .success(let status) = facts.status else { return [] }
        return Self.problems(status.attention) + Self.good(status) + status.backends.flatMap { [session($0), backlog($0)] }
    }

    private static func problems(_ attention: [Attention]) -> [Finding] {
        attention.map { item in
            let state: Finding.State = StationCheck.state(of: item) == .critical ? .problem : .warning
            return Finding(check(of: item.knownCode), state, item.text, remedy: item.next, backend: item.backend)
        }
    }

    /// Results of checks that find nothing wrong, unless the attention has something.
    private static func good(_ status: Status) -> [Finding] {
        let checks = Set(status.attention.map { check(of: $0.knownCode) })
        var findings = [
            Finding(.store, .ok, "The store is in its place and not damaged."), Finding(.entries, .ok, "No entry needs a decision."),
        ]
        if let spool = status.spool { findings.append(Finding(.dropFolder, .ok, "\(StatusText.files(spool).capitalisedFirst).")) }
        return findings.filter { !checks.contains($0.knownCheck) }
    }

    private func session(_ report: BackendReport) -> Finding {
        // If a person must sign in, the attention says so.
        Finding(.sessions, .ok, "\(report.name): \(SessionText(times: times).line(report.session)).", backend: report.name)
    }

    /// Judges the age of the oldest entry as ‘homing check’ does.
    private func backlog(_ report: BackendReport) -> Finding {
        let waiting = report.queue.waiting
        guard waiting > 0 else { return Finding(.backlog, .ok, "Nothing is waiting for \(report.name).", backend: report.name) }
        let accepted = report.oldestWaiting.map { ". The oldest was accepted \(times.relative($0))" } ?? ""
        let age = report.oldestWaiting.map { times.now.timeIntervalSince($0) } ?? 0
        let limits = StationCheck.Limits()
        let state: Finding.State = age > limits.criticalAge ? .problem : age > limits.warningAge ? .warning : .ok
        let why = report.gateReason.map { " \($0)" } ?? ""
        let next = report.oldestWaitingID.map { "To see why, run: homing why \(EntryText.shortID($0))" }
        return Finding(
            .backlog, state, "\(Words.entriesWait(waiting)) for \(report.name)\(accepted).\(state == .ok ? "" : why)",
            remedy: state == .ok ? nil : next ?? "To see the entries, run: homing list --state pending", backend: report.name)
    }

    /// The check that a problem belongs to.
    static func check(of code: Attention.Code) -> Finding.Check {
        switch code {
        case .storeGone, .storeDamaged: .store
        case .keyDeleted: .key
        case .diskFull, .outboxFull, .diskLow: .space
        case .dead, .held, .lookUpFailing, .routeFailing, .noProfile, .otherAddress, .unknown: .entries
        case .noSecureConnection, .clock: .connection
        case .misconfigured, .networkSignIn: .answer
        case .signInRequired, .sessionFailing, .otherAccount: .sessions
        case .paused: .sending
        case .dropFolderFailing, .stuckFiles, .unclaimedFiles, .refusedFiles: .dropFolder
        case .listFailing: .lists
        case .configurationRejected: .configuration
        }
    }
}
