import CSystemLinux
import Foundation
import Glibc

/// Tells a crash of our own from a kill or a power cut: only the former casts suspicion on what was in flight.
struct CrashMark {
    /// Whether the run before this one died of its own fault.
    let earlierRunCrashed: Bool
    private let path: String
    private let descriptor: Int32

    /// Reads the mark in `directory`, and from now on leaves one there if this process dies of a fault.
    init(directory: String) throws(StartError) {
        path = directory + "/crashed"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0o600)
        guard descriptor >= 0 else { throw StartError("\(path) cannot be opened: \(String(cString: strerror(errno))).") }
        var byte: UInt8 = 0
        earlierRunCrashed = pread(descriptor, &byte, 1, 0) == 1
        homing_mark_crashes(descriptor)
    }

    /// Forgets the earlier crash: once the start has gone through that had to know of it, and not where it was refused.
    func clear() throws(StartError) {
        guard ftruncate(descriptor, 0) == 0 else {
            throw StartError("The mark of a crash, \(path), cannot be cleared: \(String(cString: strerror(errno))). Look at the disk.")
        }
    }
}
