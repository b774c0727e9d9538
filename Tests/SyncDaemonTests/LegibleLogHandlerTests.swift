import Logging
import SyncDaemon
import TestSupport
import Testing

@Suite struct LegibleLogHandlerTests {
    @Test func escapesControlCharactersInMetadata() {
        let lines = LoggedLines()
        let log = Logger(label: "test") { _ in LegibleLogHandler(lines.handler, logLevel: .info) }
        log.warning("A file was put aside", metadata: ["file": "a\nFORGED\u{1b}[2J", "reason": "x y"])
        log.debug("not this")
        #expect(lines.all.map(\.message) == ["A file was put aside"])
        #expect(lines.all.first?.facts == ["file": "a\\u{A}FORGED\\u{1B}[2J", "reason": "x y"])
    }
}
