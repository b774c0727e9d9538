import ControlAPI
import Foundation

/// A new file for its owner alone.
enum ExportFile {
    static func requireAbsent(_ path: String) throws(Problem) {
        var facts = stat()
        guard lstat(path, &facts) == 0 else { return }
        throw exists(path)
    }

    /// Writes a new file, durable when it returns. Throws if something of this name exists.
    static func write(_ data: Data, to path: String) throws(Problem) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw errno == EEXIST ? exists(path) : failed(path, errno) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: data)
            try file.synchronize()
        } catch {
            unlink(path)
            throw failed(path, "\(error)")
        }
    }

    /// - Parameter number: the system's error number.
    static func failed(_ path: String, _ number: Int32) -> Problem {
        let isFull = [ENOSPC, EDQUOT, EFBIG].contains(number)
        let next = isFull ? "Free some space there, or name a file on another disk." : "Name a place where you may write."
        return failed(path, String(cString: strerror(number)), next: next)
    }

    static func failed(_ path: String, _ reason: String, next: String = "Name a place where you may write.") -> Problem {
        .invalid("‘\(path.printable)’ cannot be written: \(reason).", next: next)
    }

    private static func exists(_ path: String) -> Problem {
        .invalid("‘\(path.printable)’ exists already, and Homing replaces no file.", next: "Name a new file.")
    }
}
