import ControlServer
import Foundation
import Glibc

/// A control socket passed by a service manager (sd_listen_fds(3)).
package enum PassedSocket {
    /// `FileDescriptorName=` in the socket unit.
    static let name = "control"
    /// SD_LISTEN_FDS_START.
    private static let first: Int32 = 3

    /// Adopts the socket; nil if none was passed. Ignores other descriptors.
    package static func adopt(environment: [String: String]) throws(StartError) -> UnixSocket? {
        // Child processes must not inherit these variables.
        for variable in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(variable) }
        guard let descriptor = try descriptor(environment: environment) else { return nil }
        do { return try UnixSocket(adopting: descriptor) } catch { throw StartError("\(error)") }
    }

    /// Nil if none was passed to `pid`.
    static func descriptor(environment: [String: String], pid: pid_t = getpid()) throws(StartError) -> Int32? {
        guard environment["LISTEN_PID"] == String(pid), let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }), count > 0 else {
            return nil
        }
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false).prefix(Int(count))
        guard let index = names.firstIndex(where: { $0 == name }) else {
            let found = names.isEmpty ? "they have no names" : "they are called \(names.joined(separator: ", "))"
            throw StartError(
                "The service manager passed sockets, but none is called ‘\(name)’ (\(found)). Set FileDescriptorName=\(name) in homingd.socket."
            )
        }
        return first + Int32(index)
    }
}
