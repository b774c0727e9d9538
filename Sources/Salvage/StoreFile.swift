import Foundation
import Glibc

/// Reads a file at offsets. A missing, unreadable or irregular file reads as empty.
final class StoreFile: Sendable {
    /// Bytes.
    let size: Int
    let isGone: Bool
    /// The errno if an existing file cannot be opened; otherwise 0.
    let error: Int32
    private let descriptor: Int32
    private let unreadable: Range<Int>

    /// - Parameter unreadable: simulates bytes that the disk fails to read.
    init(path: String, unreadable: Range<Int> = 0..<0) {
        self.unreadable = unreadable
        // A pipe would wait for a writer.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        let reason = descriptor < 0 ? errno : 0
        isGone = reason == ENOENT
        error = isGone ? 0 : reason
        var info = stat()
        size = descriptor >= 0 && fstat(descriptor, &info) == 0 && info.st_mode & S_IFMT == S_IFREG ? Int(info.st_size) : 0
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// `count` bytes, with zeros past the end; nil if `offset` is outside the file or the disk fails.
    func bytes(at offset: Int, _ count: Int) -> [UInt8]? {
        guard (0..<size).contains(offset), !unreadable.overlaps(offset..<offset + count) else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let read = bytes.withUnsafeMutableBytes { buffer in
                pread(descriptor, buffer.baseAddress.map { $0 + done }, count - done, off_t(offset + done))
            }
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { return nil }
            if read == 0 { break }
            done += read
        }
        return bytes
    }
}

extension [UInt8] {
    /// Unsigned and big-endian; `offset` must be in range.
    func number(at offset: Int, _ width: Int = 4) -> Int { self[offset..<offset + width].reduce(0) { $0 << 8 | Int($1) } }

    /// SQLite's variable-length integer and the offset after it; nil past the end.
    func varint(at offset: Int) -> (value: Int64, next: Int)? {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard offset + index < count else { return nil }
            let byte = self[offset + index]
            if index == 8 { return (Int64(bitPattern: value << 8 | UInt64(byte)), offset + 9) }
            value = value << 7 | UInt64(byte & 0x7f)
            if byte & 0x80 == 0 { return (Int64(bitPattern: value), offset + index + 1) }
        }
        return nil
    }
}
