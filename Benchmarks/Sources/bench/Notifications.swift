import Foundation
import Synchronization

/// A receiver for sd_notify.
final class Notifications: Sendable {
    let path: String
    private let socket: Int32

    init(path: String) throws {
        self.path = path
        unlink(path)
        socket = Foundation.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw BenchError("\(path) is too long for a socket") }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        guard result == 0 else { throw BenchError("\(path): \(String(cString: strerror(errno)))") }
    }

    deinit { Foundation.close(socket) }

    /// True once a message contains `text`; false on a timeout.
    func wait(for text: String, seconds: Double) async -> Bool {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [socket] in
                let end = Date().addingTimeInterval(seconds)
                var buffer = [UInt8](repeating: 0, count: 4096)
                while Date() < end {
                    var wait = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
                    guard poll(&wait, 1, 100) > 0 else { continue }
                    let count = recv(socket, &buffer, buffer.count, 0)
                    if count > 0, String(decoding: buffer.prefix(count), as: UTF8.self).contains(text) {
                        return continuation.resume(returning: true)
                    }
                }
                continuation.resume(returning: false)
            }
        }
    }
}
