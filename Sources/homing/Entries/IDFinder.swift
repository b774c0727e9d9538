import ControlAPI

struct IDFinder {
    /// `entry` or `receipt`, and below the command that lists them.
    let what: String
    let list: String
    /// At most `limit` numbers and ids after a number, and the number to continue after; nil at the end.
    let page: (_ after: Int64, _ limit: Int) async throws(Problem) -> (items: [(sequence: Int64, id: String)], next: Int64?)

    func id(_ name: EntryName) async throws(Problem) -> String {
        switch name {
        case .whole(let id): return id
        case .number(let number):
            let found = try await page(number - 1, 1).items.first
            if let found, found.sequence == number { return found.id }
            // A part of an id can be all digits.
            if number >= 1000, let id = try await id(part: String(number)) { return id }
            throw .notFound("There is no \(what) number \(number).", next: "See the numbers with ‘\(list)’.")
        case .part(let part):
            guard let id = try await id(part: part) else {
                throw .notFound("No \(what)'s id begins or ends with ‘\(part)’.", next: "See the ids with ‘\(list)’.")
            }
            return id
        }
    }

    private func id(part: String) async throws(Problem) -> String? {
        var found: String?
        var after: Int64? = 0
        while let start = after {
            let page = try await page(start, Self.pageSize)
            for item in page.items where item.id.hasPrefix(part) || item.id.hasSuffix(part) {
                if found != nil {
                    throw .invalid("More than one \(what)'s id begins or ends with ‘\(part)’.", next: "Give more characters of the id.")
                }
                found = item.id
            }
            after = page.next
        }
        return found
    }

    static let pageSize = 500
}
