import ArgumentParser
import ControlAPI

/// Waits until nothing more goes up by itself: events say when to look, the status says how far it is.
struct SyncWait: Sendable {
    var status: @Sendable () async throws -> Status
    /// Tells the events after a cursor until the closure returns false or the stream ends.
    var events: @Sendable (_ since: Int64, _ each: (Event) async throws -> Bool) async throws -> Void
    /// Before looking again where the stream has ended.
    var pause: @Sendable () async throws -> Void
    /// Sees every change.
    var show: @Sendable (SyncProgress) -> Void

    func run(since before: Status, backend: String?) async throws -> SyncProgress {
        var progress = SyncProgress(before: before, now: try await status(), backend: backend)
        show(progress)
        while !progress.isOver {
            do {
                try await events(progress.now.cursor) { event in
                    if event.cursor <= progress.now.cursor { return true }  // a later look has seen it already
                    progress.now = try await status()
                    show(progress)
                    return !progress.isOver
                }
            } catch let problem as Problem {
                throw problem
            } catch {
                try Task.checkCancellation()  // anything else: the stream was cut, as when the daemon restarts
            }
            if progress.isOver { break }
            try await pause()
            progress.now = try await status()
            show(progress)
        }
        return progress
    }

    /// As `run`; nil where `limit` ends first.
    func run(since before: Status, backend: String?, limit: @escaping @Sendable () async throws -> Void) async throws -> SyncProgress? {
        try await withThrowingTaskGroup(of: SyncProgress?.self) { group in
            group.addTask { try await run(since: before, backend: backend) }
            group.addTask {
                try await limit()
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}

extension ExitCode {
    /// 5 where somebody must sign in, 6 where something became dead or held meanwhile, stands in the way of others, has no way to go any more, or
    /// waits because sending is paused, else 0.
    init(for progress: SyncProgress) {
        if !progress.signInNeeded.isEmpty {
            self = .signInRequired
        } else {
            self =
                progress.dead + progress.held + progress.blocked > 0 || progress.hasLostItsProfile || !progress.paused.isEmpty
                ? .attentionNeeded : ExitCode(for: progress.now.attention(of: progress.backend))
        }
    }
}
