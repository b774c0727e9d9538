import ArgumentParser
import ControlAPI

/// Exit codes for scripts, the same for every command except ‘homing check’.
extension ExitCode {
    static let usage = ExitCode(2)
    static let daemonNotRunning = ExitCode(3)
    static let notPermitted = ExitCode(4)
    static let signInRequired = ExitCode(5)
    static let attentionNeeded = ExitCode(6)
    static let timeout = ExitCode(7)
    /// 128 + SIGINT, as in a shell.
    static let interrupted = ExitCode(130)

    /// The exit code; 1 if `problem` has no specific one.
    init(for problem: Problem) {
        switch problem.code {
        case .invalidRequest: self = .usage
        case .daemonNotRunning: self = .daemonNotRunning
        case .notPermitted: self = .notPermitted
        case .signInRequired, .signInRefused: self = .signInRequired
        case .timeout: self = .timeout
        default: self = .failure
        }
    }

    /// 0 if nothing needs a person, 5 if only sign-ins are needed, otherwise 6.
    init(for attention: [Attention]) {
        if attention.isEmpty {
            self = .success
        } else {
            self = attention.allSatisfy { $0.knownCode == .signInRequired } ? .signInRequired : .attentionNeeded
        }
    }
}
