import CIdentity
import Foundation
import Glibc

/// A raw connection to a Unix socket: what goes out is nothing that an HTTP library would send.
struct DoorConnection: ~Copyable {
    private let descriptor: Int32

    /// nil where nobody accepts.
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

    /// As somebody else, which takes root; nil where they may not connect.
    init?(_ path: String, as caller: Caller) {
        descriptor = homing_connect_as(path, caller.uid, caller.gid, caller.groups, Int32(caller.groups.count))
        guard descriptor >= 0 else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Sends a little, which always fits.
    func send(_ input: [UInt8]) { _ = input.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) } }

    /// How long either end may be silent before the other gives up, in milliseconds.
    private static let patience: Int32 = 300_000

    /// Sends all of it, or as much as the other end wants to hear, says that nothing more comes, and reads to the end, both at the same time:
    /// the answers that came; nil where neither an answer nor an end came for 20 seconds.
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
                // It has heard enough.
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

/// A connection that stays open for as long as somebody holds this.
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

/// Who connects.
struct Caller: Sendable {
    var uid: UInt32
    var gid: UInt32
    /// Supplementary ones.
    var groups: [UInt32] = []
}
