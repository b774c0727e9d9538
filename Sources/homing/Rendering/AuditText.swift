import ControlAPI

struct AuditText {
    let style: TextStyle
    let times: TimeText
    /// In columns.
    var width = Table.width

    /// - Parameter query: what the page answers.
    func table(_ page: AuditPage, _ query: AuditQuery) -> String {
        var notes: [String] = []
        if let kept = page.keptSince, query.since.map({ $0 < kept }) ?? true {
            let words = "Homing keeps events since \(times.clock(kept)). Earlier ones are not listed."
            notes = words.wrapped(toColumns: width).map(style.faint)
        }
        guard !page.records.isEmpty else {
            let since = query.since.map { " since \(times.clock($0))" } ?? ""
            let what = query.kind.map { "records of the kind ‘\($0)’" } ?? "records"
            return ("There are no \(what)\(since).".wrapped(toColumns: width) + notes).joined(separator: "\n")
        }
        let columns = [
            Table.Column(title: "TIME"), .init(title: "ACTION", limit: 18), .init(title: "USER", limit: 16),
            .init(title: "ABOUT", rank: 1, least: 12),
        ]
        let rows = page.records.map { [times.clock($0.at), Self.action($0), $0.user ?? "", about($0)] }
        return (Table(columns: columns, rows: rows, width: width).lines(style: style) + notes).joined(separator: "\n")
    }

    private static func action(_ record: AuditRecord) -> String {
        switch record.event {
        case "signedIn": record.detail["way"] == nil ? "signed in" : "signed in again"
        case "signInRefused": "sign-in refused"
        case "signInFailed": "sign-in failed"
        case "signedOut": "signed out"
        case "signInRequired": "session ended"
        case "signOutFailed": "sign-out failed"
        case "signOutHeard": "sign-out reported"
        case "signOutGivenUp": "sign-out given up"
        case "retried": "retried"
        case "superseded": "fixed"
        case "resolved": "resolved"
        case "held": "discarded"
        case "discarded": "destroyed"
        case "fileDiscarded": "file discarded"
        case "restored": "discard undone"
        case "exported": "exported"
        case "backedUp": "backed up"
        // A restore has a user; Homing itself finds an older copy at its start.
        case "backupRestored": record.uid == nil ? "older copy of the store" : "backup restored"
        case "keyChanged": "key changed"
        case "resealed": "data sealed again"
        case "keyExported": "key exported"
        case "claimed": "files claimed"
        case "paused": "paused"
        case "resumed": "resumed"
        case "synced": "sync requested"
        case "denied": "call denied"
        default: record.event
        }
    }

    /// The entry, the account, the file or the backend, and the person's words.
    private func about(_ record: AuditRecord) -> String {
        let entry = record.entry.map { EntryText.shortID($0, width: width) }
        let what = entry ?? record.email ?? record.detail["as"] ?? record.account ?? record.detail["file"] ?? record.detail["call"]
        return [what ?? record.backend, record.detail["note"]].compactMap(\.self).joined(separator: ", ")
    }
}
