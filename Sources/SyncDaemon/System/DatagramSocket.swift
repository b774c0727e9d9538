import Foundation
import Glibc

/// Sends datagrams to one Unix socket: a path, or an abstract name that begins with `@`.
struct DatagramSocket: Sendable {
    private let descriptor: Int32
    private let address: sockaddr_un
    private let length: socklen_t

    /// Why nothing could be sent, as errno.
    struct SendError: Error, Equatable {
        let code: Int32
    }

    /// Nil where the name is neither, or too long. The other end need not be there yet. The descriptor is kept until the process ends.
    init?(to name: String) {
        var bytes = Array(name.utf8)
        var address = sockaddr_un()
        guard name.hasPrefix("/") || name.hasPrefix("@"), bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        self.address = address
        // No NUL at the end: it would be a part of an abstract name (unix(7)).
        length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        // A receiver that hangs must not hang us: what it does not take in time is lost.
        var patience = timeval(tv_sec: 0, tv_usec: 250_000)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Sends one datagram.
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
