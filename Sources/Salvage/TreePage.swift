import Foundation
import GRDB

/// A b-tree page (https://sqlite.org/fileformat2.html#b_tree_pages).
struct TreePage {
    enum Kind: UInt8 {
        case interiorIndex = 2
        case interiorTable = 5
        case leafIndex = 10
        case leafTable = 13
    }

    struct Row {
        /// Nil in an index.
        let rowid: Int64?
        /// The readable columns; all of them if `isWhole`.
        let values: [DatabaseValue]
        let isWhole: Bool
    }

    let kind: Kind
    private let bytes: [UInt8]
    /// The offset of the page header: page 1 has the file header before it.
    private let start: Int
    private let pages: StorePages
    private let other: StorePages.Trust

    /// Nil if this is not a b-tree page. `other` is the version to read of an overflow page with a damaged newest version.
    init?(_ bytes: [UInt8], number: Int, of pages: StorePages, goingOnIn other: StorePages.Trust = .damaged) {
        start = number == 1 ? 100 : 0
        guard bytes.count == pages.pageSize, let kind = Kind(rawValue: bytes[start]) else { return nil }
        (self.kind, self.bytes, self.pages, self.other) = (kind, bytes, pages, other)
    }

    private var hasChildren: Bool { kind == .interiorIndex || kind == .interiorTable }

    private var cells: [Int] {
        let first = start + (hasChildren ? 12 : 8)
        let count = min(bytes.number(at: start + 3, 2), (pages.usable - first) / 2)
        return (0..<max(0, count)).map { bytes.number(at: first + 2 * $0, 2) }.filter { $0 >= first && $0 < pages.usable - 3 }
    }

    var children: [Int] {
        guard hasChildren else { return [] }
        return cells.filter { $0 + 4 <= pages.usable }.map { bytes.number(at: $0) } + [bytes.number(at: start + 8)]
    }

    var rows: [Row] { kind == .interiorTable ? [] : cells.compactMap(row) }

    private func row(at cell: Int) -> Row? {
        let begin = kind == .interiorIndex ? cell + 4 : cell
        guard let (size, afterSize) = bytes.varint(at: begin), size > 0, size <= Self.largest else { return nil }
        var rowid: Int64?
        var payload = afterSize
        if kind == .leafTable {
            guard let (value, next) = bytes.varint(at: afterSize) else { return nil }
            (rowid, payload) = (value, next)
        }
        let content = content(at: payload, size: Int(size))
        guard let (values, isWhole) = StoredRecord.values(in: content, size: Int(size)) else { return nil }
        return Row(rowid: rowid, values: values, isWhole: isWhole)
    }

    /// Bytes; no row is larger.
    private static let largest: Int64 = 256 << 20

    /// With overflow pages, up to the first unreadable one.
    private func content(at begin: Int, size: Int) -> [UInt8] {
        let usable = pages.usable
        let atMost = kind == .leafTable ? usable - 35 : (usable - 12) * 64 / 255 - 23
        guard size > atMost else { return Array(bytes[begin..<max(begin, min(begin + size, usable))]) }
        let atLeast = (usable - 12) * 32 / 255 - 23
        let preferred = atLeast + (size - atLeast) % (usable - 4)
        let local = preferred <= atMost ? preferred : atLeast
        guard begin + local + 4 <= usable else { return Array(bytes[begin..<max(begin, usable)]) }
        var content = Array(bytes[begin..<begin + local])
        var next = bytes.number(at: begin + local)
        while content.count < size {
            guard next >= 2, next <= pages.count, let page = pages.page(next) ?? pages.page(next, other) else { break }
            content += page[4..<min(usable, 4 + size - content.count)]
            next = page.number(at: 0)
        }
        return content
    }
}

/// SQLite's record format (https://sqlite.org/fileformat2.html#record_format).
enum StoredRecord {
    /// The values up to the first incomplete one in the record of `size` bytes; nil if the header cannot be read.
    static func values(in bytes: [UInt8], size: Int) -> (values: [DatabaseValue], isWhole: Bool)? {
        guard let (headerSize, afterSize) = bytes.varint(at: 0), headerSize > 0, headerSize <= min(bytes.count, 512) else { return nil }
        var kinds: [Int64] = []
        var position = afterSize
        while position < Int(headerSize) {
            guard let (kind, next) = bytes.varint(at: position), kind >= 0 else { return nil }
            kinds.append(kind)
            position = next
        }
        var offset = Int(headerSize)
        guard position == offset else { return nil }
        var values: [DatabaseValue] = []
        for kind in kinds {
            guard let width = width(of: kind), offset + width <= bytes.count, let value = value(of: kind, bytes[offset..<offset + width])
            else { return (values, false) }
            values.append(value)
            offset += width
        }
        return (values, offset == size)
    }

    private static func width(of kind: Int64) -> Int? {
        switch kind {
        case 0, 8, 9: 0
        case 1...4: Int(kind)
        case 5: 6
        case 6, 7: 8
        case 12...(1 << 31): Int(kind - 12) / 2
        default: nil
        }
    }

    private static func value(of kind: Int64, _ bytes: ArraySlice<UInt8>) -> DatabaseValue? {
        switch kind {
        case 0: return .null
        case 8, 9: return (kind - 8).databaseValue
        case 7: return nil  // no table has floating-point values
        case 1...6:
            let negative = (bytes.first ?? 0) & 0x80 != 0
            return bytes.reduce(negative ? Int64(-1) : 0) { $0 << 8 | Int64($1) }.databaseValue
        case let kind where kind % 2 == 0: return Data(bytes).databaseValue
        default: return String(validating: bytes, as: UTF8.self)?.databaseValue
        }
    }
}
