import Synchronization

/// Shows progress on standard error: one line redrawn on a terminal, elsewhere a line for every tenth of the way.
final class ProgressLine: Sendable {
    private let console: Console
    private let last = Mutex<String?>(nil)

    init(console: Console) { self.console = console }

    func show(_ progress: SyncProgress) {
        guard progress.total > 0 else { return }
        if console.errorIsTerminal {
            console.redraw(SyncText.progress(progress).cut(toColumns: 79))
        } else if isNews(Self.mark(progress)) {
            console.warn(SyncText.progress(progress))
        }
    }

    /// Leaves no half line behind.
    func clear() {
        if console.errorIsTerminal { console.redraw("") }
    }

    /// The same for all progress that is worth one line together.
    static func mark(_ progress: SyncProgress) -> String {
        let tenth = progress.delivered * 10 / max(1, progress.total)
        return "\(tenth) \(progress.dead) \(progress.held) \(progress.obstacle ?? "")"
    }

    private func isNews(_ mark: String) -> Bool {
        last.withLock { last in
            defer { last = mark }
            return last != mark
        }
    }
}
