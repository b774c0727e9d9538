import ArgumentParser
import ControlAPI
import Foundation

/// The status as one line and an exit code, for monitoring systems.
struct StatusCheck {
    let times: TimeText
    /// The maximum age of a waiting entry, in seconds.
    let maxAge: TimeInterval?

    struct Outcome: Equatable {
        let line: String
        let code: ExitCode
    }

    func outcome(_ status: Status) -> Outcome {
        let code = ExitCode(for: status.attention)
        if code == .attentionNeeded { return Self.line("ATTENTION", troubles(status), code) }
        if let old = tooOld(status) { return Self.line("ATTENTION", old, .attentionNeeded) }
        if code == .signInRequired { return Self.line("SIGN-IN", troubles(status), code) }
        return Self.line("OK", status.sentence, .success)
    }

    func outcome(_ problem: Problem) -> Outcome {
        let word = problem.code == .daemonNotRunning ? "NOT RUNNING" : "FAILED"
        return Self.line(word, problem.detail, ExitCode(for: problem))
    }

    /// Problems that need a person, most serious first, then the unreachable backends.
    private func troubles(_ status: Status) -> String {
        let outages = status.backends.filter { $0.knownGate == .cooling && $0.queue.waiting > 0 }.map {
            "Homing cannot deliver to \($0.name)\($0.gateReason.map { ": \($0)" } ?? ".")"
        }
        return (status.attention.map(\.text) + outages).joined(separator: " ")
    }

    private func tooOld(_ status: Status) -> String? {
        guard let maxAge else { return nil }
        let oldest = status.backends.compactMap { report in report.oldestWaiting.map { (report, $0) } }.min { $0.1 < $1.1 }
        guard let (report, accepted) = oldest, times.now.timeIntervalSince(accepted) > maxAge else { return nil }
        let name = report.oldestWaitingID.map { "Entry \($0)" } ?? "The oldest entry"
        return
            "\(name) for \(report.name) was accepted \(times.relative(accepted)) and is still waiting. "
            + (report.gateReason ?? status.sentence)
    }

    private static func line(_ word: String, _ text: String, _ code: ExitCode) -> Outcome {
        Outcome(line: "HOMING \(word) - \(text.printable)", code: code)
    }
}
