import Foundation
import Synchronization

/// The end of a process, of which Foundation tells: its own `waitUntilExit` turns a run loop until then, which takes much of a processor.
package final class ProcessEnd: Sendable {
    private let state = Mutex<(status: Int32?, waiting: [CheckedContinuation<Int32, Never>])>((nil, []))

    /// - Parameter process: one that does not run yet: what it calls at its end is not called where that is set later.
    package init(of process: Process) {
        process.terminationHandler = { [self] process in
            let status = process.terminationStatus
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                state.status = status
                return state.waiting
            }
            for continuation in waiting { continuation.resume(returning: status) }
        }
    }

    /// The exit status, or the signal, once it has ended.
    package var status: Int32 {
        get async {
            await withCheckedContinuation { continuation in
                let status = state.withLock { state in
                    if state.status == nil { state.waiting.append(continuation) }
                    return state.status
                }
                if let status { continuation.resume(returning: status) }
            }
        }
    }
}
