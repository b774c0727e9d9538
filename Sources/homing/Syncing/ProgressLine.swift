import Synchronization

/// Progress on standard error: one redrawn line on a terminal, otherwise one line for every tenth.
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

    func clear() {
        if console.errorIsTerminal { console.redraw("") }
    }

    /// Equal for progress that needs only one line.
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
