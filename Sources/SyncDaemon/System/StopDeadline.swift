import Foundation
import Glibc
import Synchronization

/// Ends the process just before five seconds have passed since it was told to stop, whatever still hangs: for the store that is a kill, which
/// loses nothing.
enum StopDeadline {
    private static let isPutOff = Atomic(false)

    /// The time runs from now.
    static func start() {
        // A thread of its own, so that nothing that hangs can hold it up; it dies with the process.
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 4.8)
            if isPutOff.load(ordering: .relaxed) { Thread.sleep(forTimeInterval: 6) }
            _exit(EXIT_SUCCESS)
        }
    }

    /// Gives a token that the server is turning over six seconds more: a kill would lose it.
    static func putOff() { isPutOff.store(true, ordering: .relaxed) }
}
