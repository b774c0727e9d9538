import ControlAPI
import Foundation
import Synchronization

/// Keeps a view current until it is ended. Events trigger updates, at most four per second.
struct Watch: Sendable {
    /// Fetches everything except events from the daemon.
    var look: @Sendable () async throws(Problem) -> (Status, [LaneReport])
    /// Passes events to `each` until it returns false or the stream ends.
    var events: @Sendable (_ since: Int64, _ each: (Event) async throws -> Bool) async throws -> Void
    var show: @Sendable (WatchView) -> Void
    var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// The minimum time between redraws, and so between calls of `look`.
    static let pace = Duration.milliseconds(250)
    /// Redraws without events, because relative times change.
    static let tick = Duration.seconds(10)
    /// The number of past events to search for recent deliveries.
    static let back: Int64 = 200

    private struct State {
        var view = WatchView()
        /// True if an event has arrived since the last `look`.
        var isStale = false
    }

    /// Runs until `commands` ends or yields `quit`.
    func run(commands: AsyncStream<Command>) async {
        let state = SharedState()
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        show(state.view)
        await withTaskGroup { group in
            group.addTask { await follow(state, wake) }
            group.addTask { await redraw(state, wakes) }
            group.addTask { await ticks(wake) }
            for await command in commands {
                if command == .quit { break }
                wake.yield()
            }
            group.cancelAll()
            wake.finish()
        }
    }

    enum Command: Sendable, Equatable { case quit, redraw }

    /// Follows the events; reconnects after the daemon was unreachable.
    private func follow(_ state: SharedState, _ wake: AsyncStream<Void>.Continuation) async {
        var failures = 0
        while !Task.isCancelled {
            do throws(Problem) {
                let (status, lanes) = try await look()
                state.with { $0.saw(status, lanes) }
                wake.yield()
                failures = 0
                await listen(since: max(0, status.cursor - Self.back), state, wake)
            } catch {
                state.with { $0.lost(error) }
                wake.yield()
                failures += 1
            }
            // `try?`: on cancellation the loop ends.
            try? await pause(.seconds(min(15, 1 << min(failures, 4))))
        }
    }

    private func listen(since cursor: Int64, _ state: SharedState, _ wake: AsyncStream<Void>.Continuation) async {
        // `try?`: the stream ends when the daemon restarts; the next `look` reports whether it runs.
        try? await events(cursor) { event in
            state.with { $0.saw(event) }
            state.isStale = true
            wake.yield()
            return !Task.isCancelled
        }
    }

    private func redraw(_ state: SharedState, _ wakes: AsyncStream<Void>) async {
        for await _ in wakes {
            if state.takeStale() {
                do throws(Problem) {
                    let (status, lanes) = try await look()
                    state.with { $0.saw(status, lanes) }
                } catch {
                    state.with { $0.lost(error) }
                }
            }
            if Task.isCancelled { return }
            show(state.view)
            // `try?`: on cancellation there is nothing more to draw.
            if (try? await pause(Self.pace)) == nil { return }
        }
    }

    private func ticks(_ wake: AsyncStream<Void>.Continuation) async {
        // `try?`: cancellation ends the loop.
        while (try? await pause(Self.tick)) != nil { wake.yield() }
    }

    private final class SharedState: Sendable {
        private let state = Mutex(State())

        var view: WatchView { state.withLock { $0.view } }
        var isStale: Bool {
            get { state.withLock { $0.isStale } }
            set { state.withLock { $0.isStale = newValue } }
        }
        func with(_ change: (inout WatchView) -> Void) { state.withLock { change(&$0.view) } }

        /// Returns and clears `isStale`.
        func takeStale() -> Bool {
            state.withLock { state in
                defer { state.isStale = false }
                return state.isStale
            }
        }
    }
}

extension Watch {
    /// Watches all backends of the daemon, or only `backend`.
    init(client: ControlClient, backend: String? = nil, show: @escaping @Sendable (WatchView) -> Void) {
        self.init(
            look: { () async throws(Problem) in
                let status = try await client.call(Endpoints.status, NoInput())
                try status.requireBackend(backend)
                let lanes = try await client.call(Endpoints.lanes, LaneQuery(limit: backend == nil ? 20 : 100)).lanes
                return (status.only(backend), lanes.filter { backend == nil || $0.backend == backend })
            }, events: { since, each in try await client.keptEvents(after: since, follow: true, backend: backend, each) }, show: show)
    }

    /// Takes one snapshot, for output that is not redrawn.
    static func once(client: ControlClient, backend: String? = nil) async throws -> WatchView {
        var view = WatchView()
        let watch = Watch(client: client, backend: backend) { _ in }
        let (status, lanes) = try await watch.look()
        view.saw(status, lanes)
        try await client.keptEvents(after: max(0, status.cursor - back), follow: false, backend: backend) { event in
            view.saw(event)
            return true
        }
        return view
    }
}
