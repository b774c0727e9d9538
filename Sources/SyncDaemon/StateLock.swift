import Foundation
import Glibc

/// One daemon per state directory. The kernel releases the lock when the process ends.
package final class StateLock: Sendable {
    private let descriptor: Int32

    /// Creates a missing directory with mode 0700.
    package init(directory: String) throws(StartError) {
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw StartError("The state directory cannot be created: \(StartError.sentence(for: error))")
        }
        let path = directory + "/lock"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StartError("\(path) cannot be opened: \(String(cString: strerror(errno))).") }
        // A daemon that is ending gets a moment to finish.
        var isOurs = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        for _ in 0..<20 where !isOurs {
            usleep(10_000)
            isOurs = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        }
        // A failed initializer runs `deinit`, which closes the descriptor.
        guard isOurs else {
            throw StartError("Another daemon is already running on \(directory). Stop it first, or configure another state_directory.")
        }
    }

    deinit { close(descriptor) }
}
