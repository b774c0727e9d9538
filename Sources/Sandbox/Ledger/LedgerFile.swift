import Foundation
import Synchronization

/// The ledger as a file with one JSON object per line. The last line with a sequence number replaces earlier ones.
package final class LedgerFile: Sendable {
    private let handle: Mutex<FileHandle>

    package init(path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw SandboxError.ledgerFile(path: path, reason: String(cString: strerror(errno))) }
        handle = Mutex(FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
    }

    func append(_ entry: LedgerEntry) {
        guard var line = try? SandboxJSON.encoder.encode(entry) else { return }  // numbers, text and dates: encoding cannot fail
        line.append(UInt8(ascii: "\n"))
        let whole = line
        // `try?`: a full disk must not change the backend's responses.
        handle.withLock { try? $0.write(contentsOf: whole) }
    }
}
