import CIdentity
import Foundation
import Glibc

/// A raw connection to a Unix socket, for bytes that no HTTP library sends.
struct DoorConnection: ~Copyable {
    private let descriptor: Int32

    init?(_ path: String) {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let place = descriptor
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(place, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isConnected else { return nil }
    }

    /// Connects as another user, which requires root; nil if that user may not connect.
    init?(_ path: String, as caller: Caller) {
        descriptor = homing_connect_as(path, caller.uid, caller.gid, caller.groups, Int32(caller.groups.count))
        guard descriptor >= 0 else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Sends a short input, which always fits into the buffer.
    func send(_ input: [UInt8]) { _ = input.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) } }

    /// The timeout in milliseconds.
    private static let patience: Int32 = 300_000

    /// Sends all the input that the daemon accepts, half-closes, and reads to the end at the same time. Returns the responses; nil if neither a
    /// response nor the end comes within `patience`.
    consuming func exchange(_ input: [UInt8]) -> [DoorAnswer]? {
        var (sent, text) = (0, [UInt8]())
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        var isSending = true
        while true {
            if isSending, sent == input.count {
                isSending = false
                shutdown(descriptor, Int32(SHUT_WR))
            }
            var wanted = pollfd(fd: descriptor, events: Int16(isSending ? POLLIN | POLLOUT : POLLIN), revents: 0)
            guard poll(&wanted, 1, Self.patience) > 0 else { return nil }
            if isSending, wanted.revents & Int16(POLLOUT) != 0 {
                let count = input[sent...].withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
                }
                // The daemon reads no more.
                if count < 0, errno != EAGAIN { isSending = false }
                sent += max(0, count)
            }
            if wanted.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 {
                let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                if count < 0, errno == EAGAIN { continue }
                if count <= 0 { return DoorAnswer.all(in: text) }
                if text.count < 8 << 20 { text += buffer[..<count] }
            }
        }
    }
}

/// A connection that stays open for the lifetime of this object.
final class IdleConnection {
    private let connection: DoorConnection

    init?(_ socket: String, as caller: Caller? = nil) {
        if let caller {
            guard let made = DoorConnection(socket, as: caller) else { return nil }
            connection = made
        } else {
            guard let made = DoorConnection(socket) else { return nil }
            connection = made
        }
    }

    func send(_ bytes: [UInt8]) { connection.send(bytes) }
}

struct Caller: Sendable {
    var uid: UInt32
    var gid: UInt32
    /// Supplementary groups.
    var groups: [UInt32] = []
}
