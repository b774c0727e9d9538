import Foundation
import Glibc

/// Reads of a file at offsets; one that is missing, cannot be opened, or is no plain file reads as an empty one.
final class StoreFile: Sendable {
    /// Bytes.
    let size: Int
    /// Whether there is none.
    let isGone: Bool
    /// Why one that is there cannot be opened, as errno has it; 0 where it can.
    let error: Int32
    private let descriptor: Int32
    private let unreadable: Range<Int>

    /// - Parameter unreadable: bytes that are not given, as by a disk that fails.
    init(path: String, unreadable: Range<Int> = 0..<0) {
        self.unreadable = unreadable
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        let reason = descriptor < 0 ? errno : 0
        isGone = reason == ENOENT
        error = isGone ? 0 : reason
        var info = stat()
        size = descriptor >= 0 && fstat(descriptor, &info) == 0 && info.st_mode & S_IFMT == S_IFREG ? Int(info.st_size) : 0
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// So many bytes from `offset` on, with zeros for those behind the end; nil where it lies outside the file, or the disk does not give
    /// them.
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
    /// The unsigned big-endian number of `width` bytes at `offset`, which must lie within.
    func number(at offset: Int, _ width: Int = 4) -> Int { self[offset..<offset + width].reduce(0) { $0 << 8 | Int($1) } }

    /// SQLite's variable-length integer at `offset`, and where what follows it begins; nil where it goes past the end.
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
