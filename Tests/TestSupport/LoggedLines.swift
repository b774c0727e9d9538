import Logging
import Synchronization

package final class LoggedLines: Sendable {
    package struct Line: Equatable, Sendable {
        package let level: Logger.Level
        package let message: String
        package let facts: [String: String]
    }

    private let lines = Mutex<[Line]>([])
    package init() {}

    package var all: [Line] { lines.withLock { $0 } }
    package var logger: Logger { Logger(label: "test") { _ in self.handler } }
    package var handler: any LogHandler { Handler(keeper: self) }

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
