import Foundation
import Glibc

/// Submits over the control socket from one thread, which waits in the kernel: an asynchronous client takes as much processor as the daemon,
/// and would hide what the daemon can do.
final class BlockingClient {
    private let socket: Int32
    private var room = [UInt8](repeating: 0, count: 16 << 10)

    init(socket path: String) throws {
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { throw BenchError("\(path) is too long for a socket") }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        guard status == 0 else { throw BenchError("cannot connect to \(path): errno \(errno)") }
    }

    deinit { Glibc.close(socket) }

    static func request(_ document: Data, user: Int) -> [UInt8] {
        let head = """
            POST /v1/entries?backend=breathesafe&route=measurement&item.user_id=\(user) HTTP/1.1\r
            Host: homing\r
            Content-Type: application/json\r
            Content-Length: \(document.count)\r
            \r

            """
        return Array(head.utf8) + document
    }

    /// Returns once the daemon has acknowledged the entry.
    func send(_ request: [UInt8]) throws {
        var sent = 0
        while sent < request.count {
            let count = request.withUnsafeBytes { write(socket, $0.baseAddress! + sent, $0.count - sent) }
            guard count > 0 else { throw BenchError("cannot send a submission: errno \(errno)") }
            sent += count
        }
        var received = 0
        while true {
            let count = room.withUnsafeMutableBytes { read(socket, $0.baseAddress! + received, $0.count - received) }
            guard count > 0 else { throw BenchError("the daemon closed the connection: errno \(errno)") }
            received += count
            if try isComplete(room[..<received]) { return }
        }
    }

    private func isComplete(_ answer: ArraySlice<UInt8>) throws -> Bool {
        let text = String(decoding: answer, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { return false }
        let head = text[..<end.lowerBound].lowercased()
        guard head.hasPrefix("http/1.1 201") else { throw BenchError("a submission was refused: \(text.prefix(300))") }
        guard let length = head.range(of: "content-length: ").flatMap({ Int(head[$0.upperBound...].prefix { $0.isNumber }) }) else {
            throw BenchError("an answer has no length: \(text.prefix(300))")
        }
        return text[end.upperBound...].utf8.count == length
    }
}
