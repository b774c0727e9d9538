import Foundation

/// Reserves a port with a bound socket that never listens: no other process gets it, and connections are refused.
final class PortReservation: Sendable {
    static let host = "127.0.0.1"

    let port: Int
    private let descriptor: Int32

    /// Binds the port; 0 takes any free port.
    init(_ port: Int) throws(SandboxError) {
        func failure(_ code: Int32) -> SandboxError { .port(port, reason: String(cString: strerror(code))) }
        guard let number = UInt16(exactly: port) else { throw .port(port, reason: "not a port number") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        address.sin_port = number.bigEndian
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw failure(errno) }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard bound else {
            let code = errno
            close(descriptor)
            throw code == EADDRINUSE ? SandboxError.taken(port) : failure(code)
        }
        self.port = Int(UInt16(bigEndian: address.sin_port))
        self.descriptor = descriptor
    }

    var url: String { "http://\(Self.host):\(port)" }

    deinit { close(descriptor) }
}
