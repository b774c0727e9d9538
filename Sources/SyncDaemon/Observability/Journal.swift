import CSystemLinux
import Foundation
import Glibc

/// Logs in the systemd journal's native protocol, so that all metadata are searchable fields.
package struct Journal: Sendable {
    private let socket: DatagramSocket

    /// Nil if standard error is not the journal, or it is unreachable.
    package init?(environment: [String: String], path: String = "/run/systemd/journal/socket") {
        guard Self.isStandardError(environment: environment) else { return nil }
        self.init(path: path)
    }

    /// True if standard error is connected to the journal (systemd.exec(5), `JOURNAL_STREAM`).
    static func isStandardError(environment: [String: String], descriptor: Int32 = STDERR_FILENO) -> Bool {
        environment["JOURNAL_STREAM"].map { homing_is_stream(descriptor, $0) == 1 } ?? false
    }

    init?(path: String) {
        guard let socket = DatagramSocket(to: path) else { return nil }
        self.socket = socket
    }

    /// Shortens values if the datagram is too large; falls back to standard error.
    func send(_ record: JournalRecord) {
        for longest in [Int.max, 32 << 10, 1 << 10] {
            do throws(DatagramSocket.SendError) {
                return try socket.send(record.encoded(longest: longest))
            } catch {
                guard error.code == EMSGSIZE || error.code == ENOBUFS else { break }
            }
        }
        let message = record.fields.first { $0.name == "MESSAGE" }?.value ?? ""
        FileHandle.standardError.write(Data("\(message)\n".utf8))
    }
}
