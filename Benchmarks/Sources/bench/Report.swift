import Foundation

/// A figure and its baseline.
struct Row: Codable, Sendable {
    let part, what: String
    let value: Double
    let unit: String
    /// The figure relative to the disk or the bare client in the same minute.
    var ratio: Double?
    var of: String?
    /// The target, and whether it is met; nil without one.
    var target: String?
    var isMet: Bool?
}

struct Report: Sendable {
    private(set) var rows: [Row] = []
    private let began = Date()

    static func += (report: inout Report, rows: [Row]) { report.rows += rows }

    var table: String {
        let head = "| part | measurement | result | comparison | target | met |\n|---|---|---:|---|---|---|"
        return ([head] + rows.map(Self.line)).joined(separator: "\n")
    }

    private static func line(_ row: Row) -> String {
        let beside = row.ratio.map { "\(number($0)) \(row.of ?? "")" } ?? ""
        let met = row.isMet.map { $0 ? "yes" : "no" } ?? ""
        return "| \(row.part) | \(row.what) | \(number(row.value)) \(row.unit) | \(beside) | \(row.target ?? "") | \(met) |"
    }

    private static func number(_ value: Double) -> String {
        value >= 100
            ? value.formatted(.number.precision(.fractionLength(0)).locale(Locale(identifier: "en"))) : String(format: "%.2f", value)
    }

    var markdown: String {
        """
        # Measured speed

        Written by `make bench` on \(began.formatted(.iso8601.year().month().day())): \(Machine.description). Release build. Each
        rate is compared with the rate of the same disk or the bare HTTP client in the same minute, because machines differ and are shared. Rows
        per fdatasync are counted inside the daemon. Most of the resident memory is the program’s own file. The kernel maps more of it than the
        daemon uses, can drop it at any time, and maps a different amount in each run. The daemon’s other memory has rows of its own.

        \(table)

        """
    }

    var json: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            return try encoder.encode(rows)
        }
    }
}

enum Machine {
    static var description: String {
        let info = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let model = info.split(separator: "\n").first { $0.hasPrefix("model name") }?.split(separator: ":").last ?? "unknown processor"
        return "\(ProcessInfo.processInfo.activeProcessorCount) cores,\(model)"
    }
}
