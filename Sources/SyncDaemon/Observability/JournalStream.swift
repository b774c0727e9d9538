import Foundation
import Glibc

/// Whether what is written to standard error goes to the journal (systemd.exec(5), `JOURNAL_STREAM`).
enum JournalStream {
    static func isStandardError(environment: [String: String], descriptor: Int32 = STDERR_FILENO) -> Bool {
        var status = stat()
        guard let stream = environment["JOURNAL_STREAM"], fstat(descriptor, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }
}
