import ControlAPI
import Foundation
import Glibc
import Synchronization

/// A listening Unix socket, created here or passed by a service manager, which then owns the path. Hummingbird's own binding would take
/// over a running daemon's path, and briefly open it to all users.
package final class UnixSocket: Sendable {
    package let descriptor: Int32
    /// Empty for a passed socket without a name.
    package let path: String
    /// True if a service manager holds the socket and owns its path.
    package let isAdopted: Bool
    private let isClosed = Mutex(false)

    /// Binds the path with `mode` minus the umask. Throws if a daemon listens there; replaces a stale socket.
    package init(path: String, mode: mode_t) throws(SocketError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard SocketLocation.fits(path) else { throw .pathTooLong(path) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }

        try Self.clear(path, &address)
        let descriptor = socket(AF_UNIX, Self.type, 0)
        guard descriptor >= 0 else { throw .system(path, errno) }
        // bind(2) creates the path with the descriptor's mode (unix(7)).
        guard fchmod(descriptor, mode) == 0, Self.call(bind, descriptor, &address) == 0, listen(descriptor, Self.backlog) == 0
        else {
            let code = errno
            Glibc.close(descriptor)
            throw .system(path, code)
        }
        self.descriptor = descriptor
        self.path = path
        isAdopted = false
    }

    /// Adopts a listening socket (sd_listen_fds(3)).
    package init(adopting descriptor: Int32) throws(SocketError) {
        func option(_ name: Int32) -> Int32? {
            var value: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
        }
        guard option(SO_DOMAIN) == AF_UNIX, option(SO_TYPE) == Int32(SOCK_STREAM.rawValue), option(SO_ACCEPTCONN) == 1 else {
            throw .notListening(descriptor)
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // A service manager's default may be 128. On failure the socket still listens.
        _ = listen(descriptor, Self.backlog)
        self.descriptor = descriptor
        path = Self.path(of: descriptor)
        isAdopted = true
    }

    /// The system's maximum. With a full backlog, connect(2) fails for all users.
    static let backlog = Int32.max

    private static func path(of descriptor: Int32) -> String {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isNamed = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) == 0 }
        }
        guard isNamed, size > MemoryLayout<sa_family_t>.size else { return "" }
        return withUnsafeBytes(of: &address.sun_path) { bytes in
            let used = bytes.prefix(Int(size) - MemoryLayout<sa_family_t>.size)
            return used.first == 0
                ? "@" + String(decoding: used.dropFirst(), as: UTF8.self) : String(decoding: used.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// A duplicate for a server that closes its own descriptor; nil once closed. New clients wait meanwhile.
    package func duplicate() throws(SocketError) -> Int32? {
        let (copy, code) = isClosed.withLock { isClosed in
            isClosed ? (nil, 0) : (fcntl(descriptor, F_DUPFD_CLOEXEC, 3) as Int32?, errno)
        }
        guard let copy else { return nil }
        guard copy >= 0 else { throw .system(path, code) }
        return copy
    }

    /// Removes the path unless a service manager owns it. Idempotent.
    package func close() {
        isClosed.withLock { isClosed in
            guard !isClosed else { return }
            isClosed = true
            if !isAdopted { unlink(path) }
            Glibc.close(descriptor)
        }
    }

    /// True if every local user can connect.
    package var isOpenToAll: Bool {
        // `try?`: unknown counts as open.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let mode = attributes?[.posixPermissions] as? NSNumber else { return true }
        return mode.intValue & 0o002 != 0
    }

    private static let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)

    private static func clear(_ path: String, _ address: inout sockaddr_un) throws(SocketError) {
        // `try?`: nothing to clear.
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return }
        guard attributes[.type] as? FileAttributeType == .typeSocket else { throw .notASocket(path) }
        let probe = socket(AF_UNIX, type, 0)
        guard probe >= 0 else { throw .system(path, errno) }
        defer { Glibc.close(probe) }
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

package enum SocketError: Error, Sendable, Equatable, CustomStringConvertible {
    case inUse(String)
    case notASocket(String)
    case pathTooLong(String)
    /// The passed descriptor.
    case notListening(Int32)
    case system(String, Int32)
    /// The listener closed unexpectedly; with the system's error, if any.
    case lost(String, String?)

    package var description: String {
        switch self {
        case .inUse(let path): "Another daemon is listening on \(path). Stop it first, or name another socket in the configuration."
        case .notASocket(let path): "\(path) is not a socket. Move it away, or name another socket in the configuration."
        case .pathTooLong(let path):
            "The socket path is longer than \(SocketLocation.longest) bytes: \(path). Name a shorter one in the configuration."
        case .notListening(let number):
            "Descriptor \(number) from the service manager is not a listening Unix stream socket. Check ListenStream= in homingd.socket."
        case .lost(let path, let words):
            "The socket \(path) no longer accepts connections\(words.map { ": \($0)" } ?? ""). "
                + "No acknowledged entry is lost. Start the daemon again."
        case .system(let path, let code): "Cannot open the socket \(path): \(String(cString: strerror(code)))."
        }
    }
}
