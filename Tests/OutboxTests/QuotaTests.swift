import GRDB
import Glibc
import Outbox
import Testing

struct QuotaTests {
    /// SQLite keeps a file's last error, even after later calls succeed.
    @Test(arguments: [
        (ResultCode.SQLITE_IOERR_WRITE, [EDQUOT, 0], true), (.SQLITE_IOERR_WRITE, [0, EDQUOT], true),
        (.SQLITE_IOERR_WRITE, [EDQUOT, EDQUOT], true), (.SQLITE_IOERR_WRITE, [EDQUOT, EIO], false), (.SQLITE_IOERR_WRITE, [0, EIO], false),
        (.SQLITE_IOERR_WRITE, [], false), (.SQLITE_IOERR_READ, [0, EDQUOT], false), (.SQLITE_IOERR_SHORT_READ, [0, EDQUOT], false),
        (.SQLITE_IOERR_FSYNC, [0, EDQUOT], false), (.SQLITE_CORRUPT, [0, EDQUOT], false),
    ])
    func recognizesWriteRefusedByQuota(code: ResultCode, errors: [Int32], isOne: Bool) {
        #expect(OutboxError.isOverQuota(code, errors) == isOne)
    }
}
