import Foundation
import GRDB
import TestSupport

/// The end of a write-ahead log as whoever wrote it left it: where the promise ends (Decisions/DamagedStore).
struct LogEnd {
    private static let headerSize = 32
    private static let frameHeaderSize = 24
    /// A page and its header.
    private static let frameSize = 4096 + frameHeaderSize
    private static let sector = 512

    private let state: String
    private let bytes, index: [UInt8]
    /// Where the frames of each transaction begin.
    private var transactions: [[Int]] = []
    /// Whether behind all transactions lies a piece of one that failed or was cut off. Nothing tells it from one that has changed.
    private(set) var hasPieces = false

    /// - Parameter state: a directory whose store nothing writes to.
    init(in state: String) {
        self.state = state
        // Without a log, every transaction is in the database; and without the index of one, nobody was killed who wrote it.
        (bytes, index) = (Self.file("-wal", in: state), Self.file("-shm", in: state))
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
        // Frames of an older log have other salts than the header.
        let behind = stride(from: Self.headerSize + frames * Self.frameSize, to: bytes.count - Self.frameHeaderSize + 1, by: Self.frameSize)
        hasPieces = behind.contains { bytes[$0 + 8..<$0 + 16] == bytes[16..<24] }
    }

    /// Whether what was written to it is known all the same: its index says so, and is as it was; or it is gone, and is missed.
    var isWitnessed: Bool {
        if !index.isEmpty, Self.file("-shm", in: state) == index { return true }
        // `try?`: of a store that is gone it says nothing more.
        let number = (try? FileManager.default.attributesOfItem(atPath: state + "/outbox.sqlite"))?[.systemFileNumber] as? UInt64
        let isOpen = number.map { Self.file(".use", in: state) == Array("open \($0)\n".utf8) } ?? false
        return isOpen && !FileManager.default.fileExists(atPath: state + "/outbox.sqlite-wal")
    }

    /// How many transactions at its end nothing tells from such as failed: those from the first one on that has changed, behind the last one
    /// that another goes on from.
    func unvouched() -> Int {
        let left = Self.file("-wal", in: state)
        let now = left + [UInt8](repeating: 0, count: max(0, bytes.count - left.count))
        if transactions.isEmpty { return 0 }
        func isSame(_ offset: Int, _ count: Int) -> Bool { now[offset..<offset + count] == bytes[offset..<offset + count] }
        func isPage(_ frame: Int) -> Bool { isSame(frame + Self.frameHeaderSize, Self.frameSize - Self.frameHeaderSize) }
        // The frames whose checksum goes on from one that is known: from what the one before, or the header, states, or from what follows
        // from that one's content.
        var follows: Set<Int> = []
        var isKnown = isSame(24, 8) || isSame(0, 24)
        for frame in transactions.joined() {
            if isKnown { follows.insert(frame) }
            isKnown = isSame(frame + 16, 8) || isKnown && isSame(frame, 8) && isPage(frame)
        }
        // The number of its page can be told from all else, and each of the two salts says whose frame it is.
        func isRead(_ frame: Int) -> Bool {
            follows.contains(frame) && isSame(frame + 4, 4) && isSame(frame + 16, 8) && isPage(frame)
                && (isSame(frame + 8, 4) || isSame(frame + 12, 4))
        }
        // Of one whose checksum alone has changed the next one tells; of others the mark of an end is believed that was written with the
        // rest of the header.
        func ends(_ frame: Int) -> Bool {
            isRead(frame) || follows.contains(frame) && !isSame(frame + 16, 8) && isSame(frame, 8) && isPage(frame)
                || Self.isInOneSector(frame) && now[frame + 4..<frame + 8] != [0, 0, 0, 0]
        }
        let goesOn = zip(transactions, transactions.dropFirst()).map { ends($0[$0.count - 1]) && isRead($1[0]) }
        let behind = transactions.dropFirst((goesOn.lastIndex(of: true) ?? -1) + 1)
        return behind.drop { $0.allSatisfy { follows.contains($0) && isSame($0, Self.frameSize) } }.count
    }

    /// `try?`: one that is not there is empty.
    private static func file(_ suffix: String, in state: String) -> [UInt8] {
        (try? Data(contentsOf: URL(fileURLWithPath: "\(state)/outbox.sqlite\(suffix)"))).map(Array.init) ?? []
    }

    /// The entries that there are or were, as SQLite reads them; with what the log holds, or without.
    static func ids(in state: String, withLog: Bool) throws -> Set<String> {
        let copy = try TemporaryDirectory()
        for suffix in withLog ? ["", "-wal"] : [""] {
            try Data(Self.file(suffix, in: state)).write(to: URL(fileURLWithPath: copy("store" + suffix)))
        }
        let queue = try DatabaseQueue(path: copy("store"))
        defer { try? queue.close() }  // `try?`: nothing more is asked of it
        return try queue.read { try String.fetchSet($0, sql: "SELECT id FROM entry UNION SELECT id FROM receipt") }
    }

    private static func isInOneSector(_ offset: Int) -> Bool { offset % sector <= sector - frameHeaderSize }
}
