import CSystemLinux
import Glibc

/// Whether standard error is connected to the journal (systemd.exec(5), `JOURNAL_STREAM`).
enum JournalStream {
    static func isStandardError(environment: [String: String], descriptor: Int32 = STDERR_FILENO) -> Bool {
        environment["JOURNAL_STREAM"].map { homing_is_stream(descriptor, $0) == 1 } ?? false
    }
}
