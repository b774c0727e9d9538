import Foundation
import Glibc

/// Sends datagrams to a Unix socket: a path, or an abstract name that begins with `@`.
struct DatagramSocket: Sendable {
    private let descriptor: Int32
    private let address: sockaddr_un
    private let length: socklen_t

    /// The errno.
    struct SendError: Error, Equatable {
        let code: Int32
    }

    /// Nil for an invalid or too long name. The receiver need not exist yet. The descriptor is never closed.
    init?(to name: String) {
        var bytes = Array(name.utf8)
        var address = sockaddr_un()
        guard name.hasPrefix("/") || name.hasPrefix("@"), bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        self.address = address
        // Without a final NUL, which would be part of an abstract name (unix(7)).
        length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        // A hanging receiver must not block the daemon; its datagrams are lost.
        var patience = timeval(tv_sec: 0, tv_usec: 250_000)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    func send(_ bytes: some Collection<UInt8>) throws(SendError) {
        let sent = Array(bytes).withUnsafeBytes { content in
            withUnsafePointer(to: address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    sendto(descriptor, content.baseAddress, content.count, Int32(MSG_NOSIGNAL), $0, length)
                }
            }
        }
        guard sent >= 0 else { throw SendError(code: errno) }
    }
}
