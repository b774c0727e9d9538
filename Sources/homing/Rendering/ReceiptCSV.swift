import ControlAPI
import Foundation

/// Receipts as CSV (RFC 4180) with times in UTC. An apostrophe precedes cells that a spreadsheet would evaluate.
enum ReceiptCSV {
    static let heading = row([
        "number", "id", "outcome", "captured_at", "accepted_at", "settled_at", "backend", "account", "email", "lane", "route", "remote_id",
        "status",
        "found_by_lookup", "attempts", "size", "discarded_by", "altered", "unverified", "subject_id", "superseded_by", "resolved_by",
    ])

    static func line(_ receipt: ReceiptReport) -> String {
        row([
            String(receipt.sequence), receipt.id, receipt.outcome, JSONCoding.text(receipt.capturedAt), JSONCoding.text(receipt.acceptedAt),
            JSONCoding.text(receipt.settledAt), receipt.backend, receipt.account, receipt.email ?? "", receipt.lane, receipt.route,
            receipt.remoteID ?? "",
            receipt.status.map(String.init) ?? "", String(receipt.foundByLookup), String(receipt.attempts), String(receipt.size),
            receipt.discardedBy ?? "", receipt.altered ?? "", String(receipt.unverified ?? false), receipt.subject?.id ?? "",
            receipt.supersededBy ?? "", receipt.resolvedBy ?? "",
        ])
    }

    private static func row(_ cells: [String]) -> String { cells.map { quoted(inert($0)) }.joined(separator: ",") + "\r\n" }

    /// Removes control characters and disarms formulas (OWASP, CSV Injection).
    private static func inert(_ cell: String) -> String {
        let text = cell.printable
        let first = text.unicodeScalars.first { !$0.properties.isWhitespace }
        return first.map("=+-@＝＋－＠".unicodeScalars.contains) == true ? "'" + text : text
    }

    private static func quoted(_ cell: String) -> String {
        guard cell.unicodeScalars.contains(where: { [",", "\""].contains($0) }) else { return cell }
        return "\"" + cell.replacingOccurrences(of: "\"", with: "\"\"") + "\""
    }
}
