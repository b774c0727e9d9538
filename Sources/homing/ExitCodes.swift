import ArgumentParser
import ControlAPI

/// What scripts read: the same codes for every command.
extension ExitCode {
    static let usage = ExitCode(2)
    static let daemonNotRunning = ExitCode(3)
    static let notPermitted = ExitCode(4)
    static let signInRequired = ExitCode(5)
    static let attentionNeeded = ExitCode(6)
    static let timeout = ExitCode(7)
    /// 128 and the signal, as a shell says it.
    static let interrupted = ExitCode(130)

    /// The exit code that says what `problem` is; 1 for what has no code of its own.
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

    /// 0 while all is well or merely waits, 5 where signing in is all that is needed, else 6.
    init(for attention: [Attention]) {
        if attention.isEmpty {
            self = .success
        } else {
            self = attention.allSatisfy { $0.code == Problem.Code.signInRequired.rawValue } ? .signInRequired : .attentionNeeded
        }
    }
}
