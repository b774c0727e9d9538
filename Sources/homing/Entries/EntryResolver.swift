import ControlAPI
import Foundation

/// Resolves entries by id, by the beginning or end of an id (at least 4 characters), or by number (`12` or `#12`).
struct EntryResolver {
    let page: (EntryQuery) async throws(Problem) -> EntryPage

    /// Full ids in the order of `names`, without duplicates; throws if a name matches no entry or several.
    func ids(_ names: [String]) async throws(Problem) -> [String] {
        var ids: [String] = []
        for name in names {
            let id = try await finder.id(EntryName(name))
            if !ids.contains(id) { ids.append(id) }
        }
        return ids
    }

    func all(state: String, backend: String?) async throws(Problem) -> [EntrySummary] {
        var found: [EntrySummary] = []
        var query = EntryQuery(state: state, backend: backend, after: 0, limit: IDFinder.pageSize)
        while true {
            let page = try await page(query)
            found += page.entries
            guard let next = page.next else { return found }
            query.after = next
        }
    }

    private var finder: IDFinder {
        IDFinder(what: "entry", list: "homing list") { after, limit async throws(Problem) in
            let page = try await page(EntryQuery(after: after, limit: limit))
            return (page.entries.map { ($0.sequence, $0.id) }, page.next)
        }
    }
}

enum EntryName: Equatable {
    case whole(String)
    case number(Int64)
    case part(String)

    /// Digits are a number if there are at most 9 and the first is not 0, or after `#`; otherwise they are part of an id.
    init(_ text: String) throws(Problem) {
        let lower = text.lowercased()
        let digits = lower.hasPrefix("#") ? String(lower.dropFirst()) : lower
        if let uuid = UUID(uuidString: lower) {
            self = .whole(uuid.uuidString.lowercased())
        } else if digits.allSatisfy({ "0123456789".contains($0) }), lower.hasPrefix("#") || digits.count <= 9 && !digits.hasPrefix("0"),
            let number = Int64(digits),
            number > 0
        {
            self = .number(number)
        } else if lower.count >= 4, lower.count < 36, lower.allSatisfy({ "0123456789abcdef-".contains($0) }) {
            self = .part(lower)
        } else {
            throw .invalid(
                "‘\(text.printable)’ is not an entry number or id.",
                next: "Give an entry's number, its id, or at least 4 characters from the beginning or end of the id; see ‘homing list’.")
        }
    }
}
