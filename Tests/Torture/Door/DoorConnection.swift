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
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        guard isConnected else { return nil }
    }

    deinit { close(descriptor) }

    /// Sends all of it, says that nothing more comes, and reads to the end: the statuses that came back; nil where neither an answer nor
    /// an end came within 20 seconds.
    consuming func exchange(_ input: [UInt8]) -> [Int]? {
        var done = 0
        while done < input.count {
            let count = input[done...].withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count <= 0 { break }  // it has heard enough
            done += count
        }
        shutdown(descriptor, Int32(SHUT_WR))
        var text = [UInt8]()
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0 { return errno == EAGAIN ? nil : Self.answers(text) }
            if count == 0 { return Self.answers(text) }
            if text.count < 1 << 20 { text += buffer[..<count] }
        }
    }

    private static func answers(_ text: [UInt8]) -> [Int] {
        // An answer to what came after it on the same connection follows the body of the one before without a line end.
        String(decoding: text, as: UTF8.self).split(separator: "HTTP/1.1 ").compactMap { Int($0.prefix(3)) }.filter { $0 != 100 }
    }
}
