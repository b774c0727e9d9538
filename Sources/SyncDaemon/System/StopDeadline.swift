import Foundation
import Glibc
import Synchronization

/// Ends the process just under five seconds after a stop request, even if something hangs. For the store this is like a kill, and loses
/// nothing.
enum StopDeadline {
    private static let isPutOff = Atomic(false)

    static func start() {
        // A dedicated thread, which nothing else can block.
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 4.8)
            if isPutOff.load(ordering: .relaxed) { Thread.sleep(forTimeInterval: 6) }
            _exit(EXIT_SUCCESS)
        }
    }

    /// Adds six seconds for a refresh in progress, whose new token a kill would lose.
    static func putOff() { isPutOff.store(true, ordering: .relaxed) }
}
