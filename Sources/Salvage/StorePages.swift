import Glibc
import Outbox

/// Reads a store's pages and log without SQLite and without writing. Each page can be read alone.
struct StorePages {
    /// Bytes of a page, and of its usable part.
    let pageSize, usable: Int
    /// Pages that the store should have.
    let count: Int
    let log: WriteAheadLog
    /// Damage that shows without reading all pages.
    let damage: String?
    /// The file is a backup that was not restored.
    let isBackup: Bool

    private let file, logFile: StoreFile

    enum Trust: CaseIterable {
        /// The newest version, undamaged.
        case newest
        /// The newest version, changed after it was written.
        case damaged
        /// The version before a damaged one, or before the one in the database.
        case earlier
    }

    /// Throws if a file exists and cannot be opened: it must not count as lost.
    init(path: String) throws(OutboxError) {
        func opened(_ path: String) throws(OutboxError) -> StoreFile {
            let file = StoreFile(path: path)
            guard file.error == 0 else { throw .storage("\(path) cannot be opened: \(String(cString: strerror(file.error)))") }
            return file
        }
        file = try opened(path)
        // Before the log, which may grow meanwhile.
        let index = LogIndex(try opened(path + "-shm"))
        logFile = try opened(path + "-wal")
        log = WriteAheadLog(logFile, index: index, isMissed: logFile.isGone && StoreUse(of: path).isOpen)
        let header = file.bytes(at: 0, 100) ?? []
        isBackup = StoreBackup.isBackup(header)
        let isSQLite = header.count == 100 && header.starts(with: "SQLite format 3\0".utf8)
        let stated = isSQLite ? header.number(at: 16, 2) : 0
        let size = stated == 1 ? 65536 : stated
        let sizeIsGood = size.nonzeroBitCount == 1 && (512...65536).contains(size)
        pageSize = sizeIsGood ? size : log.pageSize ?? 4096
        usable = pageSize - (sizeIsGood && header[20] < 64 ? Int(header[20]) : 0)
        let inFile = (file.size + pageSize - 1) / pageSize
        let inHeader = isSQLite ? header.number(at: 28) : 0
        count = max(log.count ?? 0, inFile, log.versions.keys.max() ?? 0)
        let firstIsLogged = log.versions[1] != nil
        damage =
            if file.isGone {
                "its file is gone"
            } else if log.isShort {
                "its write-ahead log \(logFile.size == 0 ? "is gone" : "holds less than was written to it")"
            } else if log.isDamaged {
                "its write-ahead log has changed since it was written"
            } else if file.size == 0 {
                "it is empty"
            } else if !firstIsLogged, !(isSQLite && sizeIsGood) {
                "its first page is not that of a database"
            } else if inFile * pageSize != file.size, log.count == nil {
                "it ends within a page"
            } else if let missing = (inFile + 1..<max(log.count ?? inHeader, inFile) + 1).first(where: { [log] in log.versions[$0] == nil })
            {
                "it ends before its page \(missing)"
            } else { nil }
    }

    /// A page, counted from 1; nil if this version is missing or unreadable.
    func page(_ number: Int, _ trust: Trust = .newest) -> [UInt8]? {
        let versions = log.versions[number] ?? []
        let isInDatabase = (versions.last?.offset ?? 0) < log.endOfCopied
        let isDamaged = !isInDatabase && versions.last?.isVerified == false
        let inFile = { [file, pageSize] in file.bytes(at: (number - 1) * pageSize, pageSize) }
        switch trust {
        case .newest:
            guard !isDamaged else { return nil }
            if !isInDatabase, let last = versions.last { return logFile.bytes(at: last.offset, pageSize) }
            return inFile()
        case .damaged:
            guard isDamaged, let last = versions.last else { return nil }
            return logFile.bytes(at: last.offset, pageSize)
        case .earlier:
            guard isDamaged || isInDatabase else { return nil }
            if let verified = versions.last(where: \.isVerified) { return logFile.bytes(at: verified.offset, pageSize) }
            return inFile()
        }
    }

    /// Pointer-map pages of an auto-vacuum database hold no rows.
    func isPointerMap(_ number: Int) -> Bool { number >= 2 && (number - 2) % (usable / 5 + 1) == 0 }
}
