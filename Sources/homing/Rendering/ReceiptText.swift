import ControlAPI

struct ReceiptText {
    let style: TextStyle
    let times: TimeText
    /// The width of the table, in columns.
    var width = Table.width

    func table(_ page: ReceiptPage) -> String {
        guard !page.receipts.isEmpty else { return "There are no receipts to show: no matching entry has been delivered or discarded." }
        let anySubjects = page.receipts.contains { $0.subject != nil }
        var columns = [
            Table.Column(title: "#", isNumber: true), .init(title: "ID"), .init(title: "OUTCOME"), .init(title: "CAPTURED", rank: 4),
            .init(title: "SETTLED", rank: 1),
        ]
        if anySubjects { columns.append(.init(title: "FOR", limit: 24, least: 11, isSubject: true)) }
        columns += [.init(title: "ACCOUNT", limit: 24, rank: 3), .init(title: "PROOF", rank: 2, least: 14)]
        let rows = page.receipts.map { receipt -> [String] in
            var row = [
                String(receipt.sequence), EntryText.shortID(receipt.id, width: width), receipt.outcome, times.clock(receipt.capturedAt),
                times.clock(receipt.settledAt),
            ]
            if anySubjects { row.append(receipt.subject?.text ?? "") }
            return row + [receipt.email ?? receipt.account, Self.proof(receipt)]
        }
        var lines = Table(columns: columns, rows: rows, width: width).lines(style: style)
        if let next = page.next {
            lines += "There are more: add ‘--after \(next)’, or ‘--csv’ for all".wrapped(toColumns: width).map(style.faint)
        }
        return lines.joined(separator: "\n")
    }

    func detail(_ receipt: ReceiptReport) -> String {
        var facts = Facts()
        facts.add("receipt", receipt.id)
        facts.add("number", "\(receipt.sequence)")
        facts.add("outcome", receipt.outcome + (receipt.discardedBy.map { " by \($0)" } ?? ""))
        facts.add("replaced", receipt.supersededBy.map { "by entry \(EntryText.shortID($0))" })
        facts.add("resolved", receipt.resolvedBy.map { "by \($0), as delivered" })
        facts.add("captured", times.relative(receipt.capturedAt))
        facts.add("accepted", times.relative(receipt.acceptedAt))
        facts.add("settled", times.relative(receipt.settledAt))
        facts.add("backend", receipt.backend)
        facts.add("account", receipt.email.map { "\($0) (\(receipt.account))" } ?? receipt.account)
        facts.add("for", receipt.subject?.text)
        facts.add("lane", receipt.lane)
        facts.add("kind", receipt.kind.one)
        facts.add("server id", receipt.remoteID)
        facts.add("status", receipt.status.map(String.init))
        facts.add("altered", receipt.altered.map(Self.altered))
        facts.add(
            "unverified",
            receipt.unverified == true
                ? "the server may have treated this session as another account’s; check there which account the entry is under" : nil)
        facts.add("found", receipt.foundByLookup ? "by a look-up after the response was lost" : nil)
        facts.add("attempts", "\(receipt.attempts) failed")
        facts.add("size", Words.size(receipt.size))
        return facts.lines(width: width).joined(separator: "\n")
    }

    /// - Parameter pointer: the first difference.
    static func altered(_ pointer: String) -> String {
        "the server stored a different value at \(pointer.isEmpty ? "the top level" : pointer)"
    }

    /// `server id 811 (201)`, `accepted (200), looked up`, `by anna`.
    private static func proof(_ receipt: ReceiptReport) -> String {
        if receipt.knownOutcome == .discarded {
            return receipt.supersededBy.map { "replaced by \(EntryText.shortID($0))" } ?? receipt.discardedBy.map { "by \($0)" } ?? ""
        }
        let number = receipt.remoteID.map { "server id \($0)" } ?? "accepted"
        return number + (receipt.status.map { " (\($0))" } ?? "") + (receipt.foundByLookup ? ", looked up" : "")
            + (receipt.resolvedBy.map { ", resolved by \($0)" } ?? "")
            + (receipt.unverified == true ? ", account unverified" : "")
    }
}
