import Foundation
import Glibc

/// A listening Unix socket of our own making: the framework's way would steal the path of a daemon that is alive, and would leave a moment
/// in which the socket is open to everybody.
package struct UnixSocket: Sendable {
    package let descriptor: Int32
    package let path: String

    /// Binds `path` with `mode` (less the umask) and listens. A path whose owner is alive is refused, a stale one replaced.
    package init(path: String, mode: mode_t) throws(SocketError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw .pathTooLong(path) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }

        try Self.clear(path, &address)
        let descriptor = socket(AF_UNIX, Self.type, 0)
        guard descriptor >= 0 else { throw .system(path, errno) }
        // The mode of the descriptor before bind becomes the mode of the path: there is no moment in which it is another (unix(7)).
        guard fchmod(descriptor, mode) == 0, Self.call(bind, descriptor, &address) == 0, listen(descriptor, 128) == 0 else {
            let code = errno
            close(descriptor)
            throw .system(path, code)
        }
        self.descriptor = descriptor
        self.path = path
    }

    /// Whether anybody on this machine can connect, and not only its owner and its group.
    package var isOpenToAll: Bool {
        // `try?`: what cannot be told is taken for the worse.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let mode = attributes?[.posixPermissions] as? NSNumber else { return true }
        return mode.intValue & 0o002 != 0
    }

    private static let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)

    private static func clear(_ path: String, _ address: inout sockaddr_un) throws(SocketError) {
        // `try?`: where there is nothing, there is nothing to clear.
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return }
        guard attributes[.type] as? FileAttributeType == .typeSocket else { throw .notASocket(path) }
        let probe = socket(AF_UNIX, type, 0)
        guard probe >= 0 else { throw .system(path, errno) }
        defer { close(probe) }
        if call(connect, probe, &address) == 0 || errno == EAGAIN { throw .inUse(path) }
        guard errno == ECONNREFUSED else { throw .system(path, errno) }
        unlink(path)
    }

    private static func call(
        _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ descriptor: Int32, _ address: inout sockaddr_un
    ) -> Int32 {
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }
}

/// Why the control socket could not be made.
package enum SocketError: Error, Sendable, Equatable, CustomStringConvertible {
    case inUse(String)
    case notASocket(String)
    case pathTooLong(String)
    case system(String, Int32)

    package var description: String {
        switch self {
        case .inUse(let path): "Another daemon is listening on \(path). Stop it first, or name another socket in the configuration."
        case .notASocket(let path): "\(path) is not a socket. Move it away, or name another socket in the configuration."
        case .pathTooLong(let path): "The socket’s path has more than 107 bytes: \(path). Name a shorter one in the configuration."
        case .system(let path, let code): "The socket \(path) cannot be made: \(String(cString: strerror(code)))."
        }
    }
}
