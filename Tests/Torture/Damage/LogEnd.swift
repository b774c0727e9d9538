import Foundation
import GRDB
import Outbox
import TestSupport

/// The end of a write-ahead log before the damage, which limits the promise (Decisions/DamagedStore).
struct LogEnd {
    private static let headerSize = 32
    private static let frameHeaderSize = 24
    private static let frameSize = 4096 + frameHeaderSize
    private static let sector = 512

    private let state: String
    private let bytes, index: [UInt8]
    /// The frame offsets of each transaction.
    private var transactions: [[Int]] = []
    /// True if a failed or truncated transaction follows, which looks like a changed one.
    private(set) var hasPieces = false

    /// - Parameter state: a directory with an unused store.
    init(in state: String) {
        self.state = state
        // Without a log, every transaction is in the database. Without an index, no writer was killed.
        (bytes, index) = (Self.file("-wal", in: state), Self.file("-shm", in: state))
        // Later frames are from failed transactions or older logs (https://sqlite.org/walformat.html, mxFrame).
        let frames = index.count < 20 ? 0 : index[16..<20].reversed().reduce(0) { $0 << 8 | Int($1) }
        var open: [Int] = []
        for offset in (0..<frames).map({ Self.headerSize + $0 * Self.frameSize }) where offset + Self.frameSize <= bytes.count {
            open.append(offset)
            if bytes[offset + 4..<offset + 8] != [0, 0, 0, 0] {
                transactions.append(open)
                open = []
            }
        }
        // Frames of an older log have other salts.
        let behind = stride(from: Self.headerSize + frames * Self.frameSize, to: bytes.count - Self.frameHeaderSize + 1, by: Self.frameSize)
        hasPieces = behind.contains { bytes[$0 + 8..<$0 + 16] == bytes[16..<24] }
    }

    /// True when the log's length is still known: its index is unchanged, or the log is missing although the `.use` marker says that it was open.
    var isWitnessed: Bool {
        if !index.isEmpty, Self.file("-shm", in: state) == index { return true }
        return StoreUse(of: state + "/outbox.sqlite").isOpen && !FileManager.default.fileExists(atPath: state + "/outbox.sqlite-wal")
    }

    /// The number of transactions at the end that look like failed ones: from the first changed one on, after the last one that a readable
    /// transaction follows.
    func unvouched() -> Int {
        let left = Self.file("-wal", in: state)
        let now = left + [UInt8](repeating: 0, count: max(0, bytes.count - left.count))
        if transactions.isEmpty { return 0 }
        func isSame(_ offset: Int, _ count: Int) -> Bool { now[offset..<offset + count] == bytes[offset..<offset + count] }
        func isPage(_ frame: Int) -> Bool { isSame(frame + Self.frameHeaderSize, Self.frameSize - Self.frameHeaderSize) }
        // Frames with a verifiable predecessor: the checksum of the frame before, or of the header, is stored there or follows from its content.
        var follows: Set<Int> = []
        var isKnown = isSame(24, 8) || isSame(0, 24)
        for frame in transactions.joined() {
            if isKnown { follows.insert(frame) }
            isKnown = isSame(frame + 16, 8) || isKnown && isSame(frame, 8) && isPage(frame)
        }
        // The page number can be restored, and one of two salts identifies the log.
        func isRead(_ frame: Int) -> Bool {
            follows.contains(frame) && isSame(frame + 4, 4) && isSame(frame + 16, 8) && isPage(frame)
                && (isSame(frame + 8, 4) || isSame(frame + 12, 4))
        }
        // If only a frame's checksum changed, the next frame proves it. Otherwise the commit mark counts if it shares a sector with the rest of the
        // header.
        func ends(_ frame: Int) -> Bool {
            isRead(frame) || follows.contains(frame) && !isSame(frame + 16, 8) && isSame(frame, 8) && isPage(frame)
                || Self.isInOneSector(frame) && now[frame + 4..<frame + 8] != [0, 0, 0, 0]
        }
        let goesOn = zip(transactions, transactions.dropFirst()).map { ends($0[$0.count - 1]) && isRead($1[0]) }
        let behind = transactions.dropFirst((goesOn.lastIndex(of: true) ?? -1) + 1)
        return behind.drop { $0.allSatisfy { follows.contains($0) && isSame($0, Self.frameSize) } }.count
    }

    /// `try?`: a missing file is empty.
    private static func file(_ suffix: String, in state: String) -> [UInt8] {
        (try? Data(contentsOf: URL(fileURLWithPath: "\(state)/outbox.sqlite\(suffix)"))).map(Array.init) ?? []
    }

    static func ids(in state: String, withLog: Bool) throws -> Set<String> {
        let copy = try TemporaryDirectory()
        for suffix in withLog ? ["", "-wal"] : [""] {
            try Data(Self.file(suffix, in: state)).write(to: URL(fileURLWithPath: copy("store" + suffix)))
        }
        let queue = try DatabaseQueue(path: copy("store"))
        defer { try? queue.close() }  // `try?`: the copy is discarded
        return try queue.read { try String.fetchSet($0, sql: "SELECT id FROM entry UNION SELECT id FROM receipt") }
    }

    private static func isInOneSector(_ offset: Int) -> Bool { offset % sector <= sector - frameHeaderSize }
}
