import ControlAPI
import Foundation

/// The status as one line and a state, as the Monitoring Plugins Development Guidelines specify.
struct StationCheck {
    let times: TimeText
    let limits: Limits

    struct Limits: Equatable {
        /// Seconds for which the oldest entry may wait.
        var warningAge: TimeInterval = 3600
        var criticalAge: TimeInterval = 86_400
        /// Waiting entries; nil for any number.
        var warningWaiting: Int?
        var criticalWaiting: Int?
    }

    /// The raw value is the exit code.
    enum State: Int32 {
        case ok, warning, critical, unknown
    }

    struct Outcome: Equatable {
        let line: String
        let state: State
    }

    func outcome(_ status: Status) -> Outcome {
        let found = status.attention.map { (Self.state(of: $0), $0.text) }
        let grave = [found, tooOld(status), tooMany(status)].joined().filter { $0.0 != .ok }
        let worst = grave.map { $0.0 }.max { $0.rawValue < $1.rawValue } ?? .ok
        // The gravest first.
        let texts = grave.filter { $0.0 == worst }.map { $0.1 } + grave.filter { $0.0 != worst }.map { $0.1 }
        let text = worst == .ok ? status.sentence : (texts + outages(status)).joined(separator: " ")
        return Self.outcome(worst, text, figures: figures(status))
    }

    /// Critical if the daemon does not run, otherwise unknown.
    static func outcome(_ problem: Problem) -> Outcome {
        outcome(problem.code == .daemonNotRunning ? .critical : .unknown, problem.detail, figures: nil)
    }

    /// Critical: captures are lost or refused, or nothing is delivered until an administrator acts.
    static func state(of item: Attention) -> State {
        switch item.knownCode {
        case .storeGone, .storeDamaged, .diskFull, .outboxFull, .noProfile, .dead, .otherAddress, .misconfigured, .noSecureConnection,
            .clock, .dropFolderFailing:
            .critical
        case .held, .lookUpFailing, .routeFailing, .networkSignIn, .signInRequired, .sessionFailing, .diskLow, .paused, .otherAccount,
            .stuckFiles, .unclaimedFiles, .refusedFiles, .listFailing, .configurationRejected, .unknown:
            .warning
        }
    }

    private func tooOld(_ status: Status) -> [(State, String)] {
        guard let (report, accepted) = oldest(status) else { return [] }
        let age = times.now.timeIntervalSince(accepted)
        guard age > min(limits.warningAge, limits.criticalAge) else { return [] }
        let name = report.oldestWaitingID.map { "Entry \($0)" } ?? "The oldest entry"
        let text =
            "\(name) for \(report.name) was accepted \(times.relative(accepted)) and is still waiting. "
            + (report.gateReason ?? status.sentence)
        return [(age > limits.criticalAge ? .critical : .warning, text)]
    }

    private func tooMany(_ status: Status) -> [(State, String)] {
        let waiting = status.waiting
        let state: State = waiting > limits.criticalWaiting ?? .max ? .critical : waiting > limits.warningWaiting ?? .max ? .warning : .ok
        return [(state, "\(Words.entriesWait(waiting)).")]
    }

    private func oldest(_ status: Status) -> (report: BackendReport, accepted: Date)? {
        status.backends.compactMap { report in report.oldestWaiting.map { (report: report, accepted: $0) } }
            .min { $0.accepted < $1.accepted }
    }

    private func outages(_ status: Status) -> [String] {
        status.backends.filter { $0.knownGate == .cooling && $0.queue.waiting > 0 }.map {
            "Homing cannot deliver to \($0.name)\($0.gateReason.map { ": \($0)" } ?? ".")"
        }
    }

    /// `name=value;warning;critical;least`, in which a threshold may be missing.
    private func figures(_ status: Status) -> String {
        func text(_ limit: Int?) -> String { limit.map { String($0) } ?? "" }
        let age = oldest(status).map { max(0, times.now.timeIntervalSince($0.accepted)) } ?? 0
        return [
            "waiting=\(status.waiting);\(text(limits.warningWaiting));\(text(limits.criticalWaiting));0",
            "oldest=\(Int(age))s;\(Int(limits.warningAge));\(Int(limits.criticalAge));0",
            "failed=\(status.total(\.dead));;;0", "held=\(status.total(\.held));;;0",
        ].joined(separator: " ")
    }

    private static func outcome(_ state: State, _ text: String, figures: String?) -> Outcome {
        let word =
            switch state {
            case .ok: "OK"
            case .warning: "WARNING"
            case .critical: "CRITICAL"
            case .unknown: "UNKNOWN"
            }
        // A bar would begin the figures.
        let sentence = text.printable.replacing("|", with: "/")
        return Outcome(line: "HOMING \(word) - \(sentence)\(figures.map { " | \($0)" } ?? "")", state: state)
    }
}

extension Status {
    /// The entries in this state at all backends.
    func total(_ count: KeyPath<QueueReport, Int>) -> Int { backends.reduce(0) { $0 + $1.queue[keyPath: count] } }

    var waiting: Int { total(\.waiting) }
}
