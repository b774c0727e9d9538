import Foundation
import Synchronization

/// The ledger as a file of one JSON object a line; the last line of a sequence number is the valid one.
package final class LedgerFile: Sendable {
    private let handle: Mutex<FileHandle>

    /// Opens the file for appending and creates it where there is none.
    package init(path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw SandboxError.ledgerFile(path: path, reason: String(cString: strerror(errno))) }
        handle = Mutex(FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
    }

    /// Appends one entry.
    func append(_ entry: LedgerEntry) {
        guard var line = try? SandboxJSON.encoder.encode(entry) else { return }  // only numbers, text and dates: cannot fail
        line.append(UInt8(ascii: "\n"))
        let whole = line
        // A full disk must not change what the imitated backend answers.
        handle.withLock { try? $0.write(contentsOf: whole) }
    }
}
