import ArgumentParser
import ControlAPI

/// Waits until Homing can deliver nothing more without help. Checks the status after events.
struct SyncWait: Sendable {
    var status: @Sendable () async throws -> Status
    /// Passes events to `each` until it returns false or the stream ends.
    var events: @Sendable (_ since: Int64, _ each: (Event) async throws -> Bool) async throws -> Void
    /// Waits before reconnecting to an ended stream.
    var pause: @Sendable () async throws -> Void
    var show: @Sendable (SyncProgress) -> Void

    func run(since before: Status, backend: String?) async throws -> SyncProgress {
        var progress = SyncProgress(before: before, now: try await status(), backend: backend)
        show(progress)
        while !progress.isOver {
            do {
                try await events(progress.now.cursor) { event in
                    if event.cursor <= progress.now.cursor { return true }  // a later status includes this event
                    progress.now = try await status()
                    show(progress)
                    return !progress.isOver
                }
            } catch let problem as Problem {
                throw problem
            } catch {
                try Task.checkCancellation()  // otherwise the stream ended, for example because the daemon restarts
            }
            if progress.isOver { break }
            try await pause()
            progress.now = try await status()
            show(progress)
        }
        return progress
    }

    /// Like `run`; nil if `limit` returns first.
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
    /// The exit code: 5 if a sign-in is needed; 6 if entries failed, are held or blocked, a profile is missing, or sending is paused;
    /// otherwise by `attention`.
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
