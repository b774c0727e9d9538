import Foundation
import Glibc

/// Ends the process just before five seconds have passed since it was told to stop, whatever still hangs: for the store that is a kill, which
/// loses nothing.
enum StopDeadline {
    /// The time runs from now.
    static func start() {
        // A thread of its own, so that nothing that hangs can hold it up; it dies with the process.
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 4.8)
            _exit(EXIT_SUCCESS)
        }
    }
}
