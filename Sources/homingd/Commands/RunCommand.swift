import ArgumentParser
import Foundation
import Logging
import SyncDaemon

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the daemon until SIGTERM.",
        discussion: """
            Logs to the journal if standard error is connected to it, otherwise to standard error. SIGHUP makes it read the configuration \
            and the profiles again; if they have mistakes, the previous ones stay active. SIGTERM or SIGINT stops it within five seconds, or \
            within eleven while it refreshes a token. No acknowledged entry is lost.
            """)

    @OptionGroup var common: CommonOptions
    @Option(
        help: "The lowest level to log: trace, debug, info, notice, warning, error or critical.",
        completion: .list(Logger.Level.allCases.map(\.rawValue)),
        transform: { text in
            guard let level = Logger.Level(rawValue: text) else {
                throw ValidationError("expected one of trace … critical, found ‘\(text)’")
            }
            return level
        })
    var logLevel: Logger.Level = .info

    func run() async throws {
        // SIGHUP would end the process before the daemon handles it; there is nothing to reload yet.
        signal(SIGHUP, SIG_IGN)
        let environment = ProcessInfo.processInfo.environment
        let journal = Journal(environment: environment)
        let level = logLevel
        LoggingSystem.bootstrap { label in
            if let journal { return JournalLogHandler(journal: journal, logLevel: level) }
            return LegibleLogHandler(StreamLogHandler.standardError(label: label), logLevel: level)
        }
        let log = Logger(label: "homingd")
        do {
            try await DaemonProcess(file: common.config, environment: environment, log: log).run()
        } catch {
            let sentence = StartError.sentence(for: error)
            if journal != nil {
                // The only message that is not constant: `systemctl status` shows nothing else of a daemon that fails to start.
                log.critical("Homing cannot continue: \(sentence)")
            } else {
                // `try?`: standard error may be a closed pipe; the exit code remains.
                try? FileHandle.standardError.write(contentsOf: Data("homingd: \(sentence)\n".utf8))
            }
            throw ExitCode.failure
        }
    }
}
