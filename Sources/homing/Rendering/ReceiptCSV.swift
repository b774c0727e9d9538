import ControlAPI
import Foundation

/// Receipts as a table for a spreadsheet (RFC 4180): lines end with CR LF, and times are in UTC as in JSON.
enum ReceiptCSV {
    static let heading = row([
        "number", "id", "outcome", "captured_at", "accepted_at", "settled_at", "backend", "account", "email", "lane", "route", "remote_id",
        "status",
        "found_by_lookup", "attempts", "size", "discarded_by", "unverified",
    ])

    static func line(_ receipt: ReceiptReport) -> String {
        row([
            String(receipt.sequence), receipt.id, receipt.outcome, JSONCoding.text(receipt.capturedAt), JSONCoding.text(receipt.acceptedAt),
            JSONCoding.text(receipt.settledAt), receipt.backend, receipt.account, receipt.email ?? "", receipt.lane, receipt.route,
            receipt.remoteID ?? "",
            receipt.status.map(String.init) ?? "", String(receipt.foundByLookup), String(receipt.attempts), String(receipt.size),
            receipt.discardedBy ?? "", String(receipt.unverified ?? false),
        ])
    }

    private static func row(_ cells: [String]) -> String { cells.map(quoted).joined(separator: ",") + "\r\n" }

    /// In quotes where the cell holds what would end it; by scalar, since CR LF is one Character.
    private static func quoted(_ cell: String) -> String {
        guard cell.unicodeScalars.contains(where: { [",", "\"", "\r", "\n"].contains($0) }) else { return cell }
        return "\"" + cell.replacingOccurrences(of: "\"", with: "\"\"") + "\""
    }
}
