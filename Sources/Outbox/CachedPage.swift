import Foundation
import Glibc
import JSON
import SyncModel
import Vault

/// One server page of a roster. Plain form: `{"etag": …, "rows": [[id, label, folded, kept…], …], "since": …, "others": [[id, time], …]}`.
/// `since` is when this station first listed most of the rows; `others` has the rest, in milliseconds.
struct CachedPage: Equatable, Sendable {
    let plain: Data

    /// `firstListed` may have rows that this read has not listed, so that they do not count as new later.
    init(etag: String?, rows: [RosterRow], firstListed: [RosterID: Date] = [:]) {
        let ids = Set(rows.map(\.id))
        let values = rows.map { row in JSONValue.array([.string(row.id.rawValue), .string(row.label), .string(row.folded)] + row.kept) }
        var members: [String: JSONValue] = ["etag": etag.map(JSONValue.string) ?? .null, "rows": .array(values)]
        let counts = Dictionary(firstListed.values.map { ($0.ms, 1) }, uniquingKeysWith: +)
        let usual = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
        let others = firstListed.filter { id, date in date.ms != usual || !ids.contains(id) }.sorted { $0.key < $1.key }
        members["since"] = usual.map(JSONValue.int)
        if !others.isEmpty { members["others"] = .array(others.map { .array([.string($0.key.rawValue), .int($0.value.ms)]) }) }
        plain = JSONValue.object(members).serialized
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

    /// Adds labels until all ids have one.
    func addLabels(of ids: Set<RosterID>, to labels: inout [RosterID: String]) {
        guard labels.count < ids.count, ids.count > 1 || ids.allSatisfy(mayList), let list else { return }
        list.forEachRow(first: 1) { values, place in
            guard let id = values.first?.string.map({ RosterID($0) }), ids.contains(id) else { return true }
            labels[id] = CachedRow(list.scalars(at: place), at: place, in: list)?.label
            return labels.count < ids.count
        }
    }

    /// When this station first listed each row; `date` for a page that does not say.
    func firstListed(orElse date: Date) -> [RosterID: Date] {
        let usual = element("since")?.whole.map { Date(ms: $0) } ?? date
        var listed: [RosterID: Date] = [:]
        list?.forEachRow(first: 1) { values, _ in
            if let id = values.first?.string { listed[RosterID(id)] = usual }
            return true
        }
        for other in element("others")?.elements.map({ Array($0.elements) }) ?? [] {
            if let id = other.first?.scalar?.string, let ms = other.last?.whole { listed[RosterID(id)] = Date(ms: ms) }
        }
        return listed
    }

    /// False if no row has the id. Twenty times as fast as reading the rows.
    private func mayList(_ id: RosterID) -> Bool {
        let start = Data("[".utf8) + JSONValue.string(id.rawValue).serialized + Data(",".utf8)
        return plain.withUnsafeBytes { page in start.withUnsafeBytes { page.holds($0) } }
    }

    private var list: JSONElement? { element("rows") }

    private func element(_ name: String) -> JSONElement? { JSONDocument(checked: plain).root.element(at: JSONPointer(tokens: [name])) }
}

extension RosterKey {
    /// The name that the page is sealed under, so that it opens only in its own place. No part contains a line feed.
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

extension UnsafeRawBufferPointer {
    fileprivate func holds(_ part: UnsafeRawBufferPointer) -> Bool {
        guard let start = baseAddress, let sought = part.baseAddress else { return part.isEmpty }
        var at = 0
        while at + part.count <= count, let found = memchr(start + at, Int32(part[0]), count - part.count - at + 1) {
            if memcmp(found, sought, part.count) == 0 { return true }
            at = UnsafeRawPointer(found) - start + 1
        }
        return false
    }
}
