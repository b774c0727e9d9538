import ControlAPI
import Foundation

/// Receipts as a table for a spreadsheet (RFC 4180): lines end with CR LF, and times are in UTC as in JSON. A cell that a spreadsheet would run as a
/// formula begins with an apostrophe.
enum ReceiptCSV {
    static let heading = row([
        "number", "id", "outcome", "captured_at", "accepted_at", "settled_at", "backend", "account", "email", "lane", "route", "remote_id",
        "status",
        "found_by_lookup", "attempts", "size", "discarded_by", "altered", "unverified",
    ])

    static func line(_ receipt: ReceiptReport) -> String {
        row([
            String(receipt.sequence), receipt.id, receipt.outcome, JSONCoding.text(receipt.capturedAt), JSONCoding.text(receipt.acceptedAt),
            JSONCoding.text(receipt.settledAt), receipt.backend, receipt.account, receipt.email ?? "", receipt.lane, receipt.route,
            receipt.remoteID ?? "",
            receipt.status.map(String.init) ?? "", String(receipt.foundByLookup), String(receipt.attempts), String(receipt.size),
            receipt.discardedBy ?? "", receipt.altered ?? "", String(receipt.unverified ?? false),
        ])
    }

    private static func row(_ cells: [String]) -> String { cells.map { quoted(inert($0)) }.joined(separator: ",") + "\r\n" }

    /// Without control characters, which would steer a terminal, and of no effect in a spreadsheet (OWASP, CSV Injection).
    private static func inert(_ cell: String) -> String {
        let text = cell.printable
        let first = text.unicodeScalars.first { !$0.properties.isWhitespace }
        return first.map("=+-@＝＋－＠".unicodeScalars.contains) == true ? "'" + text : text
    }

    /// In quotes where the cell holds what would end it.
    private static func quoted(_ cell: String) -> String {
        guard cell.unicodeScalars.contains(where: { [",", "\""].contains($0) }) else { return cell }
        return "\"" + cell.replacingOccurrences(of: "\"", with: "\"\"") + "\""
    }
}
