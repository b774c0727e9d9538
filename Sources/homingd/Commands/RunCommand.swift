import ArgumentParser
import Foundation
import Logging
import SyncDaemon

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Capture and deliver until SIGTERM.",
        discussion: """
            Logs to the journal where standard error goes there, else to standard error. SIGHUP reads configuration and profiles again; with a \
            mistake in them the ones from before stay in force. SIGTERM or SIGINT end it within five seconds; nothing that was acknowledged is \
            lost.
            """)

    @OptionGroup var common: CommonOptions
    @Option(
        help: "The least severe messages to log: trace, debug, info, notice, warning, error, critical.",
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
                // The only non-constant log message: `systemctl status` shows nothing else of a daemon that fails to start.
                log.critical("Homing cannot go on: \(sentence)", metadata: ["reason": "\(sentence)"])
            } else {
                FileHandle.standardError.write(Data("homingd: \(sentence)\n".utf8))
            }
            throw ExitCode.failure
        }
    }
}
