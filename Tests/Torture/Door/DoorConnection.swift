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
        waitAtMost(20)
    }

    /// As somebody else, which takes root; nil where they may not connect.
    init?(_ path: String, as caller: Caller) {
        descriptor = homing_connect_as(path, caller.uid, caller.gid, caller.groups, Int32(caller.groups.count))
        guard descriptor >= 0 else { return nil }
        waitAtMost(20)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    private func waitAtMost(_ seconds: Int) {
        var patience = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Sends all of it, or as much as the other end wants to hear.
    func send(_ input: [UInt8]) {
        var done = 0
        while done < input.count {
            let count = input[done...].withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count <= 0 { break }
            done += count
        }
    }

    /// Says that nothing more comes.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads to the end: the answers that came; nil where neither an answer nor an end came within 20 seconds.
    func answers() -> [DoorAnswer]? {
        var text = [UInt8]()
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EAGAIN { return nil }
            if count <= 0 { return DoorAnswer.all(in: text) }
            if text.count < 8 << 20 { text += buffer[..<count] }
        }
    }

    /// Sends all of it, says that nothing more comes, and reads to the end, as `answers` does.
    consuming func exchange(_ input: [UInt8]) -> [DoorAnswer]? {
        send(input)
        endSending()
        return answers()
    }
}

/// Who connects.
struct Caller: Sendable {
    var uid: UInt32
    var gid: UInt32
    /// Supplementary ones.
    var groups: [UInt32] = []
}
