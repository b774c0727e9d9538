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
    var beside: Beside?
}

/// The same figure of another build.
struct Beside: Codable, Sendable {
    let value: Double
    /// The row's figure relative to it; nil for 0.
    let ratio: Double?
    /// Of the row's build and of the other one.
    let rounds, roundsBeside: [Double]
}

struct Report: Sendable {
    private(set) var rows: [Row] = []
    private let began = Date()

    static func += (report: inout Report, rows: [Row]) { report.rows += rows }

    var table: String {
        let beside = isComparison ? (" the other build | relative to it |", "---:|---:|") : ("", "")
        let head = "| part | measurement | result |\(beside.0) comparison | target | met |\n|---|---|---:|\(beside.1)---|---|---|"
        return ([head] + rows.map(line)).joined(separator: "\n")
    }

    private var isComparison: Bool { rows.contains { $0.beside != nil } }

    private func line(_ row: Row) -> String {
        let reference = row.ratio.map { "\(Self.number($0)) \(row.of ?? "")" } ?? ""
        let met = row.isMet.map { $0 ? "yes" : "no" } ?? ""
        let other = isComparison ? "\(Self.other(row)) | " : ""
        let result = "\(Self.number(row.value)) \(row.unit)"
        return "| \(row.part) | \(row.what) | \(result) | \(other)\(reference) | \(row.target ?? "") | \(met) |"
    }

    /// Two cells.
    private static func other(_ row: Row) -> String {
        guard let beside = row.beside else { return " | " }
        return "\(number(beside.value)) \(row.unit) | \(beside.ratio.map { number($0) + " ×" } ?? "")"
    }

    private static func number(_ value: Double) -> String {
        value >= 100
            ? value.formatted(.number.precision(.fractionLength(0)).locale(Locale(identifier: "en"))) : String(format: "%.2f", value)
    }

    var markdown: String {
        """
        # Measured speed

        Written by `make bench` on \(began.formatted(.iso8601.year().month().day())): \(Machine.description). Release build. Each
        rate is compared with the rate of the same disk or the bare HTTP client in the same minute, because machines differ and are shared.
        Deliveries go to a server that is much faster than the daemon; its only work is to repeat the document. A distant server is the same
        server behind a relay. Fdatasyncs are counted inside the daemon; processor time and bytes written to the disk are the kernel’s figures
        for it. Most of the resident memory is the program’s own file. The kernel maps more of it than the
        daemon uses, can drop it at any time, and maps a different amount in each run. The daemon’s other memory has rows of its own.

        \(isComparison ? "The two builds were measured in turns. Each figure is the median of its rounds.\n\n" : "")\(table)

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
