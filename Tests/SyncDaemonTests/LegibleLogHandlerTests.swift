import Logging
import SyncDaemon
import Synchronization
import Testing

@Suite struct LegibleLogHandlerTests {
    private final class Lines: Sendable { let all = Mutex<[String]>([]) }

    private struct Keeper: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let facts = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            lines.all.withLock { $0.append(([event.message.description] + facts).joined(separator: " ")) }
        }
    }

    @Test func aNameForgesNoLine() {
        let lines = Lines()
        let log = Logger(label: "test") { _ in LegibleLogHandler(Keeper(lines: lines), logLevel: .info) }
        log.warning("A file was put aside", metadata: ["file": "a\nFORGED\u{1b}[2J", "reason": "x y"])
        log.debug("not this")
        #expect(lines.all.withLock { $0 } == ["A file was put aside file=a\\u{A}FORGED\\u{1B}[2J reason=x y"])
    }
}
