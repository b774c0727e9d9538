/// Checks the order of writes to write-ahead logs: each transaction is synced before the next one is written. Otherwise damage cannot be told from a
/// torn write (Decisions/DamagedStore).
enum LogOrder {
    private static let frameHeaderSize = 24

    static func faults(in records: [Record]) -> [String] {
        var paths: [UInt64: String] = [:]
        // The offset of a commit frame's header that is not synced yet.
        var unsynced: [String: Int] = [:]
        var faults: [String] = []
        for (number, record) in records.enumerated() {
            if record.kind == .open { paths[record.handle] = record.path }
            guard let path = paths[record.handle], path.hasSuffix("-wal") else { continue }
            switch record.kind {
            case .sync, .truncate: unsynced[path] = nil
            case .write:
                let isPageOfIt = record.offset == unsynced[path].map { $0 + frameHeaderSize }
                if unsynced[path] != nil, !isPageOfIt {
                    faults.append("record \(number) writes to \(path) before the previous transaction is on the disk")
                    unsynced[path] = nil
                }
                let isHeader = record.offset > 0 && record.data.count == frameHeaderSize
                if isHeader, record.data[4..<8] != [0, 0, 0, 0] { unsynced[path] = record.offset }
            default: break
            }
        }
        return faults
    }
}
