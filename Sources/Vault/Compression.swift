import CCompression
import Foundation
import Synchronization

/// Zstandard for payloads at rest. See Decisions/CompressedPayloads.md.
package enum Compression {
    /// Bytes. Larger documents are not compressed, and nothing expands to more.
    package static let most = 32 << 20

    /// Bytes. Smaller documents share a page with others anyway.
    package static let least = 1 << 10

    /// Nil unless `plain` has `least` to `most` bytes and compression saves a quarter.
    package static func compressed(_ plain: Data) -> Data? {
        guard (least...most).contains(plain.count) else { return nil }
        guard let context = (plain.count > largestForKept ? nil : kept.withLock { $0.popLast() }) ?? Context() else { return nil }
        defer { if plain.count <= largestForKept { kept.withLock { if $0.count < mostKept { $0.append(context) } } } }
        var room = Data(count: plain.count / 4 * 3)
        let size = room.withUnsafeMutableBytes { room in
            plain.withUnsafeBytes { homing_zstd(context.memory, $0.baseAddress, $0.count, room.baseAddress, room.count) }
        }
        // A copy, because `room` is larger.
        return size > 0 ? Data(room.prefix(size)) : nil
    }

    /// Making a context takes longer than compressing a small payload with it.
    private static let kept = Mutex<[Context]>([])
    private static let mostKept = 2
    /// Bytes. A larger payload would enlarge the context for good.
    private static let largestForKept = 64 << 10

    // SAFETY: `memory` never changes, and two compressions never have the same context at once: each makes one, or takes it out of `kept`
    // under the lock. zstd does not bind a context to a thread.
    private final class Context: @unchecked Sendable {
        let memory: UnsafeMutableRawPointer

        init?() {
            guard let memory = homing_zstd_context() else { return nil }
            self.memory = memory
        }

        deinit { homing_zstd_free(memory) }
    }

    /// The original; nil if `compressed` is damaged, or expands to another size than stated or to more than `most`.
    package static func expanded(_ compressed: Data) -> Data? {
        compressed.withUnsafeBytes { compressed in
            let stated = homing_zstd_stated_size(compressed.baseAddress, compressed.count)
            guard (1...most).contains(stated) else { return nil }
            var room = Data(count: stated)
            let size = room.withUnsafeMutableBytes {
                homing_zstd_expand(compressed.baseAddress, compressed.count, $0.baseAddress, $0.count)
            }
            return size == stated ? room : nil
        }
    }
}
