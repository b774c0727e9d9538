import ControlAPI
import HummingbirdCore
import NIOCore

/// Tells one page of every change, as server-sent events: `change` when the page should be read again, `lost` while the daemon does not
/// answer, and `silent` when that lasts.
struct Live: Sendable {
    let client: ControlClient
    let usage: Usage
    /// The run of `Keys`. Each event proves with it that this run of the dashboard sent it.
    let run: String
    var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    enum Signal: String, Sendable { case change, lost, silent, beat }

    /// The minimum time between two signals.
    private static let pace = Duration.milliseconds(250)
    /// Notices a browser that is gone without a word.
    private static let heartbeat = Duration.seconds(15)
    /// A little longer than the heartbeat of the daemon's stream of events.
    private static let listening = Duration.seconds(6)
    private static let longestAnswer = Duration.seconds(10)
    /// In failures, which take half a minute if the daemon has ended.
    private static let patience = 8

    /// Returns when the browser has left.
    func run(_ writer: any ResponseBodyWriter) async throws {
        var writer = writer
        usage.open()
        defer { usage.close() }
        let (signals, signal) = AsyncStream.makeStream(of: Signal.self, bufferingPolicy: .bufferingNewest(4))
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { await follow(signal) }
            group.addTask {
                // `try?`: cancellation ends the loop.
                while (try? await pause(Self.heartbeat)) != nil { signal.yield(.beat) }
            }
            defer { group.cancelAll() }
            for await next in signals {
                // A line that begins with a colon is a comment.
                let text = next == .beat ? ":\n\n" : "event: \(next.rawValue)\ndata: \(run)\n\n"
                try await writer.write(ByteBuffer(string: text))
                try await pause(Self.pace)
            }
        }
    }

    /// Follows the daemon's events, and connects again after a restart.
    private func follow(_ signal: AsyncStream<Signal>.Continuation) async {
        let prompt = ControlClient(socketPath: client.socketPath, timeout: Self.longestAnswer)
        var failures = 0
        while !Task.isCancelled {
            do {
                let status = try await prompt.call(Endpoints.status, NoInput())
                signal.yield(.change)
                failures = 0
                let pulse = Pulse()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await client.events(EventQuery(since: status.cursor, follow: true)) { _ in
                            signal.yield(.change)
                            return !Task.isCancelled
                        } beat: {
                            pulse.beat()
                        }
                    }
                    group.addTask {
                        for check in 1... {
                            try await pause(Self.listening)
                            try pulse.check()
                            // The heartbeat does not read the store, which may hang on its disk.
                            if check.isMultiple(of: 5) { _ = try await prompt.call(Endpoints.status, NoInput()) }
                        }
                    }
                    defer { group.cancelAll() }
                    try await group.next()
                }
            } catch {
                failures += 1
                signal.yield(failures < Self.patience ? .lost : .silent)
            }
            // `try?`: on cancellation the loop ends.
            try? await pause(.milliseconds(250 << min(failures, 5)))
        }
    }
}
