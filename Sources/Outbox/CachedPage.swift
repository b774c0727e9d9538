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
        JSONDocument(checked: plain).root.element(at: JSONPointer(tokens: ["rows"]))?.elements.compactMap(Self.row) ?? []
    }

    private static func row(_ element: JSONElement) -> RosterRow? {
        let values = element.elements.map { $0.scalar ?? .null }
        guard values.count >= 3, let id = values[0].string, let label = values[1].string, let folded = values[2].string else { return nil }
        return RosterRow(id: RosterID(id), label: label, folded: folded, kept: Array(values.dropFirst(3)))
    }
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
