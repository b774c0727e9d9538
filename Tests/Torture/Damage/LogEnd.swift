import Foundation

/// The end of a write-ahead log before bytes of it flip: where the promise ends (Decisions/DamagedStore).
struct LogEnd {
    private static let headerSize = 32
    private static let frameHeaderSize = 24
    /// A page and its header.
    private static let frameSize = 4096 + frameHeaderSize
    private static let sector = 512

    private let path: String
    private let bytes: [UInt8]
    /// Where the frames of each transaction begin.
    private var transactions: [[Int]] = []

    /// - Parameter state: a directory whose store nothing writes to.
    init(in state: String) {
        path = state + "/outbox.sqlite-wal"
        // `try?`: without a log, every transaction is in the database; and without the index of one, nobody was killed who wrote it.
        bytes = (try? Data(contentsOf: URL(fileURLWithPath: path))).map(Array.init) ?? []
        let index = (try? Data(contentsOf: URL(fileURLWithPath: state + "/outbox.sqlite-shm"))).map(Array.init) ?? []
        // Behind what counts lie pieces of what failed and of older logs (https://sqlite.org/walformat.html, mxFrame).
        let frames = index.count < 20 ? 0 : index[16..<20].reversed().reduce(0) { $0 << 8 | Int($1) }
        var open: [Int] = []
        for offset in (0..<frames).map({ Self.headerSize + $0 * Self.frameSize }) where offset + Self.frameSize <= bytes.count {
            open.append(offset)
            if bytes[offset + 4..<offset + 8] != [0, 0, 0, 0] {
                transactions.append(open)
                open = []
            }
        }
    }

    /// How many transactions at its end nothing tells from such as failed: those from the first one on that has changed, behind the last one
    /// that another goes on from.
    func unvouched() -> Int {
        // `try?`: as above.
        let now = (try? Data(contentsOf: URL(fileURLWithPath: path))).map(Array.init) ?? []
        // It was not flipped, but is gone.
        guard now.count == bytes.count else { return 0 }
        func isSame(_ offset: Int, _ count: Int = Self.frameSize) -> Bool { now[offset..<offset + count] == bytes[offset..<offset + count] }
        // That it ends a transaction, and the checksum that the next one goes on from, are in its header.
        func ends(_ frame: Int) -> Bool {
            isSame(frame) || Self.isInOneSector(frame) && now[frame + 4..<frame + 8] != [0, 0, 0, 0] && isSame(frame + 16, 8)
        }
        let goesOn = zip(transactions, transactions.dropFirst()).map { ends($0[$0.count - 1]) && isSame($1[0]) }
        let behind = transactions.dropFirst((goesOn.lastIndex(of: true) ?? -1) + 1)
        return behind.drop { $0.allSatisfy { isSame($0) } }.count
    }

    private static func isInOneSector(_ offset: Int) -> Bool { offset % sector <= sector - frameHeaderSize }
}
