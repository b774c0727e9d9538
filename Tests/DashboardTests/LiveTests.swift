import ControlAPI
import HTTPTypes
import HummingbirdCore
import NIOCore
import Synchronization
import Testing

@testable import Dashboard

@Suite(.timeLimit(.minutes(10))) struct LiveTests {
    private let client = ControlClient(socketPath: "/nonexistent/homing.sock")
    private struct Gone: Error {}

    /// A browser that leaves after some signals.
    private final class Browser: ResponseBodyWriter, Sendable {
        private let text: Mutex<[String]> = Mutex([])
        private let limit: Int

        init(leavesAfter limit: Int) { self.limit = limit }
        var signals: [String] { text.withLock { $0 } }

        func write(_ buffer: ByteBuffer) async throws {
            let count = text.withLock { text in
                text.append(String(buffer: buffer))
                return text.count
            }
            if count == limit { throw Gone() }
        }
        func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    @Test func tellsThatTheDaemonIsLostAndEndsWithTheBrowser() async throws {
        let (browser, usage) = (Browser(leavesAfter: 3), Usage())
        let live = Live(client: client, usage: usage, run: "proof") { time in
            // The heartbeat and the pause after the fifth failure never end; the others take no time.
            try await Task.sleep(for: time >= .seconds(8) ? .seconds(86_400) : .zero)
        }
        await #expect(throws: Gone.self) { try await live.run(browser) }
        #expect(browser.signals == Array(repeating: "event: lost\ndata: proof\n\n", count: 3))
        #expect(usage.remaining(of: .zero) == nil)
    }

    @Test func tellsThatTheDaemonStaysSilent() async throws {
        let browser = Browser(leavesAfter: 12)
        let live = Live(client: client, usage: Usage(), run: "proof") { time in
            try await Task.sleep(for: time == .seconds(15) ? .seconds(86_400) : .zero)
        }
        await #expect(throws: Gone.self) { try await live.run(browser) }
        #expect(browser.signals.last == "event: silent\ndata: proof\n\n")
    }

    /// Its stream of events stays open without a word.
    @Test func reportsAFrozenDaemonAndItsReturn() async throws {
        let (daemon, browser, status) = (FakeDaemon(), Browser(leavesAfter: 3), Sample().status)
        try await daemon.serve { call in
            guard call == "GET /v1/status" else { return FakeDaemon.Endless() }
            return status
        } _: { client in
            let live = Live(client: client, usage: Usage(), run: "proof") { time in
                try await Task.sleep(for: time == .seconds(15) ? .seconds(86_400) : .zero)
            }
            await #expect(throws: Gone.self) { try await live.run(browser) }
        }
        #expect(browser.signals == ["change", "lost", "change"].map { "event: \($0)\ndata: proof\n\n" })
    }

    @Test func heartbeatNoticesThatTheBrowserHasLeft() async throws {
        let browser = Browser(leavesAfter: 2)
        let live = Live(client: client, usage: Usage(), run: "proof") { time in
            try await Task.sleep(for: time > .seconds(1) || time == .milliseconds(250) ? .zero : .seconds(86_400))
        }
        await #expect(throws: Gone.self) { try await live.run(browser) }
        #expect(browser.signals.contains(":\n\n"))
    }
}
