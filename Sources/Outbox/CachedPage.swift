import Foundation
import JSON
import SyncModel
import Vault

/// One server page of a roster. Plain form: `{"etag": …, "rows": [[id, label, folded, kept…], …]}`.
struct CachedPage: Equatable, Sendable {
    let plain: Data

    init(etag: String?, rows: [RosterRow]) {
        let rows = rows.map { row in JSONValue.array([.string(row.id.rawValue), .string(row.label), .string(row.folded)] + row.kept) }
        plain = JSONValue.object(["etag": etag.map(JSONValue.string) ?? .null, "rows": .array(rows)]).serialized
    }

    init(opening sealed: Data, by vault: Vault, as name: String) throws { plain = try vault.open(sealed, as: name) }

    var etag: String? { JSONDocument(checked: plain).member("etag")?.string }

    var rows: [RosterRow] {
        var rows: [RosterRow] = []
        forEachRow { row in
            rows.append(RosterRow(id: row.id, label: row.label, folded: row.folded, kept: row.kept))
            return true
        }
        return rows
    }

    /// In order, until `body` returns false.
    func forEachRow(_ body: (CachedRow) -> Bool) {
        guard let list else { return }
        list.forEachRow(first: CachedRow.fixed) { values, place in CachedRow(values, at: place, in: list).map(body) ?? true }
    }

    /// Adds the labels of the rows with these ids, until all have one.
    func addLabels(of ids: Set<RosterID>, to labels: inout [RosterID: String]) {
        guard labels.count < ids.count, let list else { return }
        list.forEachRow(first: 1) { values, place in
            guard let id = values.first?.string.map({ RosterID($0) }), ids.contains(id) else { return true }
            labels[id] = CachedRow(list.scalars(at: place), at: place, in: list)?.label
            return labels.count < ids.count
        }
    }

    private var list: JSONElement? { JSONDocument(checked: plain).root.element(at: JSONPointer(tokens: ["rows"])) }
}

extension RosterKey {
    /// What a page is sealed as, so that it opens in its own place only. None of the parts contains a line feed.
    func name(revision: Int, page: Int) -> String {
        "roster\n\(destination.backend)\n\(destination.account)\n\(resource)\n\(revision)\n\(page)"
    }
}

extension RosterDifference {
    init(from old: [CachedPage], to new: [CachedPage]) {
        func rows(_ pages: [CachedPage]) -> [RosterID: RosterRow] {
            Dictionary(pages.flatMap(\.rows).map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        }
        let (before, after) = (rows(old), rows(new))
        let changed = after.count { id, row in before[id].map { $0 != row } ?? false }
        let kept = after.keys.count { before[$0] != nil }
        self.init(rows: after.count, added: after.count - kept, removed: before.count - kept, changed: changed)
    }
}
