import Foundation
import Glibc
import Synchronization
import Vault

/// A finished backup in a file without a name, so that no crash leaves it behind. Can be read once.
package final class BackupCopy: Sendable {
    /// In bytes, with the checksum.
    package let size: Int
    private let descriptor: Int32
    /// Nil once the checksum was read.
    private let digest = Mutex<RunningDigest?>(RunningDigest())

    /// Bytes that are read at a time.
    private static let part = 256 << 10

    /// Takes the file's name away.
    init(taking path: String) throws {
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        var info = stat()
        guard descriptor >= 0, fstat(descriptor, &info) == 0 else {
            size = 0
            throw OutboxError.storage("\(path) cannot be opened: \(String(cString: strerror(errno)))")
        }
        size = Int(info.st_size) + StoreBackup.checksumSize
        unlink(path)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The next bytes of the backup; empty at its end.
    package func next() throws -> [UInt8] {
        try digest.withLock { digest in
            guard var running = digest else { return [] }
            let bytes = try read()
            running.update(bytes)
            digest = bytes.isEmpty ? nil : running
            return bytes.isEmpty ? running.value : bytes
        }
    }

    private func read() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.part)
        while true {
            let count = Glibc.read(descriptor, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw OutboxError.storage("the copy of the store cannot be read: \(String(cString: strerror(errno)))") }
            return Array(bytes.prefix(count))
        }
    }
}
