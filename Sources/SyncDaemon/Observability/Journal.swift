import Foundation
import Glibc

/// The system's journal, in its own protocol, so that every fact of a message is a field that can be asked for.
package struct Journal: Sendable {
    private let socket: DatagramSocket

    /// Nil where standard error does not go to the journal, or where the journal cannot be reached.
    package init?(environment: [String: String], path: String = "/run/systemd/journal/socket") {
        guard JournalStream.isStandardError(environment: environment) else { return nil }
        self.init(path: path)
    }

    init?(path: String) {
        guard let socket = DatagramSocket(to: path) else { return nil }
        self.socket = socket
    }

    /// Sends one entry. A datagram that is too large is sent with shorter values; what cannot be sent at all goes to standard error.
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
