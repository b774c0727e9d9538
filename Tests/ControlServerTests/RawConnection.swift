import Foundation
import Glibc

final class RawConnection: Sendable {
    struct Refused: Error {}

    private let descriptor: Int32

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let outcome = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        // `deinit` closes the descriptor.
        guard outcome == 0 else { throw Refused() }
    }

    deinit { close(descriptor) }

    /// Returns false if the other side no longer accepts data.
    @discardableResult
    func send(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads until the other side closes or the text contains `text`.
    func read(until text: String? = nil) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                var said: [UInt8] = []
                var part = [UInt8](repeating: 0, count: 4096)
                while true {
                    if let text, String(decoding: said, as: UTF8.self).contains(text) { break }
                    let count = recv(descriptor, &part, part.count, 0)
                    if count <= 0 { break }
                    said += part.prefix(count)
                }
                continuation.resume(returning: String(decoding: said, as: UTF8.self))
            }
        }
    }
}
