import Foundation
import Glibc
import Synchronization

/// A datagram socket that receives in place of systemd or the journal.
package final class DatagramReceiver: Sendable {
    private let descriptor: Int32
    private let received = Mutex<[Data]>([])

    /// Binds a path, or an abstract name that starts with `@`.
    package init(at name: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
        }
        guard isBound else { throw CocoaError(.fileWriteUnknown) }
    }

    deinit { close(descriptor) }

    /// Everything received so far.
    package var datagrams: [Data] {
        received.withLock { received in
            var buffer = [UInt8](repeating: 0, count: 128 << 10)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                guard count >= 0 else { return received }
                received.append(Data(buffer[..<count]))
            }
        }
    }

    package var lines: [String] { datagrams.flatMap { String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init) } }

    /// Waits for `count` matching lines and returns the last of them; nil after twenty seconds.
    @discardableResult
    package func line(count: Int = 1, where isMeant: (String) -> Bool) async throws -> String? {
        let end = ContinuousClock.now + .seconds(20)
        while true {
            let found = lines.filter(isMeant)
            if found.count >= count { return found[count - 1] }
            try Task.checkCancellation()
            guard await isReadable(before: end) else { return nil }
        }
    }

    /// On a thread, because `poll` blocks.
    private func isReadable(before end: ContinuousClock.Instant) async -> Bool {
        let milliseconds = Int32(max(0, (end - ContinuousClock.now) / .milliseconds(1)))
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                continuation.resume(returning: poll(&wanted, 1, milliseconds) > 0)
            }
        }
    }
}
