import Synchronization

/// The marker of a run that has the store open. It is written at the start. If that fails, as on a full disk, each emptying of the log
/// tries again.
final class RunMark: Sendable {
    private let use: StoreUse
    private let epoch: Int64
    /// Of the file that the run has open: another file may be in its place by now.
    private let inode: UInt64?
    private let isOwed = Mutex(true)

    init(_ use: StoreUse, epoch: Int64, inode: UInt64?) { (self.use, self.epoch, self.inode) = (use, epoch, inode) }

    /// Not before the first transaction of the run, so that the marker is never ahead of the store itself.
    func write() {
        isOwed.withLock { isOwed in
            if isOwed { isOwed = !use.opened(in: epoch, inode: inode) }
        }
    }

    /// Tries a last time. A later attempt would replace the marker of the stop.
    func end() {
        write()
        isOwed.withLock { $0 = false }
    }
}
