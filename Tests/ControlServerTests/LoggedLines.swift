import Logging
import Synchronization

/// Keeps what is logged: the level, the message, and the metadata by name.
final class LoggedLines: Sendable {
    struct Line: Equatable {
        var level: Logger.Level
        var message: String
        var facts: [String: String]
    }

    private let lines = Mutex<[Line]>([])
    var all: [Line] { lines.withLock { $0 } }
    var logger: Logger { Logger(label: "test") { _ in Handler(keeper: self) } }

    private struct Handler: LogHandler {
        let keeper: LoggedLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let facts = (event.metadata ?? [:]).mapValues { "\($0)" }
            keeper.lines.withLock { $0.append(Line(level: event.level, message: "\(event.message)", facts: facts)) }
        }
    }
}
