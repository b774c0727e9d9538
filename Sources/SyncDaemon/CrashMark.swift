import CSystemLinux
import Foundation
import Glibc

/// The mark of a crash: only a crash, not a kill or power cut, makes in-flight entries suspect (CrashesAndKills).
final class CrashMark: Sendable {
    let earlierRunCrashed: Bool
    private let path: String
    private let descriptor: Int32

    /// Reads the mark, then installs a handler that leaves one on a crash.
    init(directory: String) throws(StartError) {
        path = directory + "/crashed"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0o600)
        guard descriptor >= 0 else { throw StartError("\(path) cannot be opened: \(String(cString: strerror(errno))).") }
        var byte: UInt8 = 0
        earlierRunCrashed = pread(descriptor, &byte, 1, 0) == 1
        guard homing_mark_crashes(descriptor) == 0 else {
            throw StartError("Crashes cannot be marked in \(path): \(String(cString: strerror(errno))).")
        }
    }

    /// The handler has a descriptor of its own.
    deinit { close(descriptor) }

    /// Removes the mark. Call only after the start that used it has succeeded.
    func clear() throws(StartError) {
        guard ftruncate(descriptor, 0) == 0 else {
            throw StartError("The crash mark \(path) cannot be cleared: \(String(cString: strerror(errno))). Check the disk.")
        }
    }
}
