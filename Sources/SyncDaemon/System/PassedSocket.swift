import ControlServer
import Foundation
import Glibc

/// The control socket that a service manager made and passed (sd_listen_fds(3)).
package enum PassedSocket {
    /// What the socket unit calls it (`FileDescriptorName=`).
    static let name = "control"
    /// SD_LISTEN_FDS_START.
    private static let first: Int32 = 3

    /// Takes it over; nil where this process was passed nothing. Other descriptors that were passed stay unused.
    package static func adopt(environment: [String: String]) throws(StartError) -> UnixSocket? {
        // Meant for this process and for this once.
        for variable in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(variable) }
        guard let descriptor = try descriptor(environment: environment) else { return nil }
        do { return try UnixSocket(adopting: descriptor) } catch { throw StartError("\(error)") }
    }

    /// The number under which it was passed to the process `pid`; nil where nothing was.
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
