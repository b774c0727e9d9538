import Synchronization

/// The space on the disk, as far as the last writes showed it.
final class DiskPressure: Sendable {
    struct State {
        /// Success does not reset this: small writes may still fit in the WAL.
        var wasFull = false
        /// Bytes of the last submission that did not fit; 0 once one was accepted.
        var lastNoSpace: Int64 = 0
        /// Bytes of the last submission over the limit; nil once one was accepted.
        var lastOverLimit: Int64?
        /// The last mandatory write failed.
        var isSpent = false
        /// Bytes of submissions being written.
        var underway: Int64 = 0
        /// The last look found the disk nearly full.
        var isLow = false
    }
    private let state = Mutex(State())

    var now: State { state.withLock(\.self) }

    func note(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    /// True while the disk is nearly full: from below the mark until a quarter above it, so that the answer does not flicker.
    ///
    /// - Parameters:
    ///   - free: bytes that submissions can take.
    ///   - mark: bytes.
    func isLow(free: Int64, mark: Int64) -> Bool {
        state.withLock { state in
            state.isLow = free < (state.isLow ? mark + mark / 4 : mark)
            return state.isLow
        }
    }

    /// Registers bytes about to be written; returns those of others.
    func began(_ bytes: Int64) -> Int64 {
        state.withLock { state in
            defer { state.underway += bytes }
            return state.underway
        }
    }

    func ended(_ bytes: Int64) { note { $0.underway -= bytes } }
}
