import Foundation
import Glibc

/// The address of a stream socket.
enum StreamPlace: Sendable {
    /// An IPv4 address and a port; 0 for any free one.
    case internet(String, UInt16)
    /// A Unix socket, which all network namespaces can reach.
    case file(String)

    static func loopback(_ port: UInt16) -> StreamPlace { .internet("127.0.0.1", port) }

    func listen() throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = open(SOCK_STREAM)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard descriptor >= 0, withAddress({ bind(descriptor, $0, $1) }) == 0, Glibc.listen(descriptor, 128) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EADDRNOTAVAIL)
        }
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    func receive() throws -> Int32 {
        let descriptor = open(SOCK_DGRAM)
        guard descriptor >= 0, withAddress({ bind(descriptor, $0, $1) }) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EADDRNOTAVAIL)
        }
        return descriptor
    }

    /// Returns a connected socket; nil if nothing listens there.
    func connect() -> Int32? {
        let descriptor = open(SOCK_STREAM)
        guard descriptor >= 0 else { return nil }
        if withAddress({ Glibc.connect(descriptor, $0, $1) }) == 0 { return descriptor }
        close(descriptor)
        return nil
    }

    private func open(_ type: __socket_type) -> Int32 {
        let family = if case .internet = self { AF_INET } else { AF_UNIX }
        return socket(family, Int32(type.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    }

    private func withAddress<T>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> T) -> T {
        func pass<Address>(_ address: Address) -> T {
            withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Address>.size)) }
            }
        }
        switch self {
        case .internet(let text, let port):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            inet_pton(AF_INET, text, &address.sin_addr)
            address.sin_port = port.bigEndian
            return pass(address)
        case .file(let path):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
            return pass(address)
        }
    }
}
