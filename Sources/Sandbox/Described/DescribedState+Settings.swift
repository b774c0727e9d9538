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
    /// The maximum number of rows in a page or in a list without pages; nil for no limit.
    var pageSize: Int?
    var ids = DescribedIDs.numbers
}

extension DescribedState {
    static var settings: [Setting<Self>] {
        [.milliseconds("list-lag", \.differing.listLag), .count("page-size", \.differing.pageSize), .word("ids", \.differing.ids)]
    }

    func id(_ number: Int) -> JSON {
        switch differing.ids {
        case .numbers: .int(number)
        case .large: .large(String(UInt64(Int64.max) + UInt64(number)))
        case .text: .string("id-\(number)")
        }
    }

    /// The visible rows of a list, or of the requested page, and the total number of visible rows.
    func listed(
        _ rows: [DescribedRow], _ call: DescribedCall, _ request: SandboxRequest, at now: Date
    ) -> (rows: [DescribedRow], total: Int) {
        let visible = rows.filter { now.timeIntervalSince($0.time) >= differing.listLag.seconds }
        let most = differing.pageSize ?? visible.count
        guard let pages = call.table["pages"] else { return (Array(visible.prefix(most)), visible.count) }
        func asked(_ name: String) -> Int? { pages[name]?.text.flatMap { request.query[$0] }.flatMap { Int($0) } }
        let size = min(most, max(0, asked("per_page") ?? most))
        let start = min(visible.count, (max(1, min(asked("page") ?? 1, visible.count + 1)) - 1) * size)
        return (Array(visible[start...].prefix(size)), visible.count)
    }
}
