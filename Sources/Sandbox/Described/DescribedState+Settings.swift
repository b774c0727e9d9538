import Foundation

enum DescribedIDs: String, CaseIterable {
    case numbers
    /// Numbers from 2^63 upwards; many of them are the same double.
    case large
    case text
}

/// Server behaviour that a profile does not describe.
struct DescribedSettings {
    /// The delay until a new row appears in lists.
    var listLag = Duration.zero
    /// Maximum of a page, or of a list without pages; nil for no limit.
    var pageSize: Int?
    var ids = DescribedIDs.numbers
    /// The number of rows of every resource.
    var rows = 3
}

extension DescribedState {
    static var settings: [Setting<Self>] {
        [
            .milliseconds("list-lag", \.differing.listLag), .count("page-size", \.differing.pageSize), .word("ids", \.differing.ids),
            .number("rows", \.differing.rows, atMost: 100_000),
        ]
    }

    func id(_ number: Int) -> JSON {
        switch differing.ids {
        case .numbers: .int(number)
        case .large: .large(String(UInt64(Int64.max) + UInt64(number)))
        case .text: .string("id-\(number)")
        }
    }

    /// The inverse of `id`; nil for no such id.
    func number(of id: String) -> Int? {
        switch differing.ids {
        case .numbers: Int(id)
        case .large: UInt64(id).flatMap { $0 > UInt64(Int64.max) ? Int(exactly: $0 - UInt64(Int64.max)) : nil }
        case .text: id.hasPrefix("id-") ? Int(id.dropFirst("id-".count)) : nil
        }
    }

    /// Visible rows of the page or list, and the total number of visible rows.
    func listed(
        _ rows: [DescribedRow], _ call: DescribedCall, _ request: SandboxRequest, at now: Date
    ) -> (rows: [DescribedRow], total: Int) {
        let visible = rows.filter { now.timeIntervalSince($0.time) >= differing.listLag.seconds }
        return (page(of: visible, call, request), visible.count)
    }

    /// The rows of the requested page, or the first rows of a list without pages.
    func page<Row>(of all: [Row], _ call: DescribedCall, _ request: SandboxRequest) -> [Row] {
        let most = differing.pageSize ?? all.count
        guard let pages = call.table["pages"] else { return Array(all.prefix(most)) }
        func asked(_ name: String) -> Int? { pages[name]?.text.flatMap { request.query[$0] }.flatMap { Int($0) } }
        let size = min(most, max(0, asked("per_page") ?? most))
        let start = min(all.count, (max(1, min(asked("page") ?? 1, all.count + 1)) - 1) * size)
        return Array(all[start...].prefix(size))
    }
}
