import Foundation

/// The form of the numbers that a server gives its rows and its accounts.
enum DescribedIDs: String, CaseIterable {
    case numbers
    /// Numbers from 2^63 on, of which many are the same double.
    case large
    case text
}

/// Ways in which a server can differ that its profile does not say.
struct DescribedSettings {
    /// How long after it took effect a change shows in lists.
    var listLag = Duration.zero
    /// Rows that a page, or a list without pages, has at most; nil for any.
    var pageSize: Int?
    var ids = DescribedIDs.numbers
}

extension DescribedState {
    var settings: JSONObject {
        [
            "list-lag": .milliseconds(differing.listLag), "page-size": .integer(differing.pageSize), "ids": .string(differing.ids.rawValue),
        ]
    }

    mutating func change(_ name: String, to value: JSON) throws(FaultProblem) {
        switch name {
        case "list-lag": differing.listLag = try value.milliseconds(of: name)
        case "page-size": differing.pageSize = try value.count(of: name)
        case "ids": differing.ids = try value.word(of: name)
        default: throw noSetting(name)
        }
    }

    /// A row's or an account's number as this server writes it.
    func id(_ number: Int) -> JSON {
        switch differing.ids {
        case .numbers: .int(number)
        case .large: .large(String(UInt64(Int64.max) + UInt64(number)))
        case .text: .string("id-\(number)")
        }
    }

    /// What a list shows of these rows: all of them, or the page that was asked for, and their number.
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
