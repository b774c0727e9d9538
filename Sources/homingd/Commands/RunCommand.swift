import ArgumentParser
import Foundation
import Logging
import SyncDaemon

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Capture and deliver until SIGTERM.",
        discussion: "Logs to standard error. SIGTERM or SIGINT end it within five seconds; nothing that was acknowledged is lost.")

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
        let level = logLevel
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
        let environment = ProcessInfo.processInfo.environment
        do {
            let configuration = try ConfigurationCheck.configuration(file: common.config, environment: environment)
            let daemon = try await Daemon(configuration: configuration, environment: environment, log: Logger(label: "homingd"))
            try await daemon.run()
        } catch {
            FileHandle.standardError.write(Data("homingd: \(StartError.sentence(for: error))\n".utf8))
            throw ExitCode.failure
        }
    }
}
