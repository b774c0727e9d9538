import Foundation
import GRDB
import SyncModel

/// A row found on some page, identified by its shape.
enum FoundRow {
    /// The columns from `id` on; the last ones may be missing.
    case entry(sequence: Int64, [DatabaseValue], isWhole: Bool)
    case content(sequence: Int64, MutationID, Data)
    case receipt([DatabaseValue])
    case event(cursor: Int64, [DatabaseValue])
    case attempt([DatabaseValue])
    case account([DatabaseValue])
    case origin([DatabaseValue])
    case lookupRule([DatabaseValue])
    case pause([DatabaseValue])
    case quiet([DatabaseValue])
    case gap([DatabaseValue])
    case figure([DatabaseValue])
    /// The last event counted in figures, with the rest of its row.
    case figureCursor([DatabaseValue])
    /// Its sealed record, and all columns.
    case session(backend: String, Data, [DatabaseValue])
    case epoch(Int64)
    /// The bytes of a `WrappedKeyring`.
    case keyring(Data)
    /// The last number of a table assigned to a row.
    case counter(table: String, Int64)
    /// From an index.
    case identity(sequence: Int64, MutationID)
    /// From an index, or from `lane`.
    case place(sequence: Int64, Destination, lane: String)
    /// From an index: that entry was delivered or discarded.
    case settled(sequence: Int64)

    /// Stored columns of `entry`.
    private static let columns = 47

    init?(_ row: TreePage.Row, in kind: TreePage.Kind) {
        let found = kind == .leafTable ? Self.inTable(row) : Self.inIndex(row)
        guard let found else { return nil }
        self = found
    }

    private static func inTable(_ row: TreePage.Row) -> FoundRow? {
        guard let rowid = row.rowid, rowid > 0 else { return nil }
        let values = row.values
        if values.count >= 7, MutationID(optional: values[1].text) != nil {
            return .entry(sequence: rowid, Array(values[1...]), isWhole: row.isWhole && values.count >= columns)
        }
        guard row.isWhole else { return nil }
        switch values.map(\.kind) {
        case let kinds where values.count >= 15 && kinds.hasPrefix("t-") && MutationID(optional: values[0].text) != nil:
            return .receipt([values[0], rowid.databaseValue] + values.dropFirst(2))
        case "-tb":
            guard let id = MutationID(optional: values[1].text), case .blob(let sealed) = values[2].storage else { return nil }
            return .content(sequence: rowid, id, sealed)
        case let kinds where values.count == 7 && kinds.hasPrefix("-it") && kinds.hasSuffix("t"): return .event(cursor: rowid, values)
        case "-it": return rowid == 1 ? .figureCursor([rowid.databaseValue] + values.dropFirst()) : nil
        case "-b":
            guard rowid == 1, case .blob(let wrapped) = values[1].storage else { return nil }
            return .keyring(wrapped)
        case "-i": return rowid == 1 ? .epoch(values[1].integer ?? 0) : nil
        default: return nil
        }
    }

    private static func inIndex(_ row: TreePage.Row) -> FoundRow? {
        guard row.isWhole else { return nil }
        let values = row.values
        func place() -> FoundRow? {
            guard let backend = values[0].text, let account = values[1].text, let lane = values[2].text, let sequence = values[3].integer
            else { return nil }
            return .place(sequence: sequence, Destination(backend: backend, account: AccountID(account)), lane: lane)
        }
        let kinds = values.map(\.kind)
        switch kinds {
        case _ where values.count == 8 && kinds.hasPrefix("iiiiti"): return .attempt(values)
        case "tti-t": return .pause(values)
        case "ttiit": return .pause(values)
        case "ttiiit", "ttii-t": return .quiet(values)
        case "ttt": return .account(values)
        case "ttb": return .origin(values)
        case "tttb": return .lookupRule(values)
        case "tbti", "tb-i":
            guard let backend = values[0].text, case .blob(let sealed) = values[1].storage else { return nil }
            return .session(backend: backend, sealed, values)
        case "iii": return .gap(values)
        case "ittiiiiiiiiitt": return .figure(values)
        case "ttttii-" where values[0].text == "" && values[1].text == "":
            return .counter(table: values[2].text ?? "", values[4].integer ?? 0)
        case "ti":
            guard let id = MutationID(optional: values[0].text), let sequence = values[1].integer else { return nil }
            return .identity(sequence: sequence, id)
        case "ttti", "tttii", "tttiti", "tttit-": return place()
        case "tii":
            guard MutationID(optional: values[0].text) != nil, values[1].integer == 0, let sequence = values[2].integer else { return nil }
            return .settled(sequence: sequence)
        default: return nil
        }
    }
}

extension MutationID {
    fileprivate init?(optional text: String?) {
        guard let text, text.utf8.count == 36 else { return nil }
        self.init(text)
    }
}

extension DatabaseValue {
    var text: String? { String.fromDatabaseValue(self) }
    var integer: Int64? { if case .int64(let value) = storage { value } else { nil } }

    /// One letter: - for NULL, i for integer, t for text, b for blob.
    fileprivate var kind: String {
        switch storage {
        case .null: "-"
        case .int64: "i"
        case .double: "d"
        case .string: "t"
        case .blob: "b"
        }
    }
}

extension [DatabaseValue] {
    fileprivate func map(_ letter: KeyPath<DatabaseValue, String>) -> String { self.map { $0[keyPath: letter] }.joined() }
}
