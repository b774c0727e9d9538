import JSON
import Testing

@testable import Backends

struct PagesTests {
    private let pages = Pages(page: "page", perPage: "per_page", total: JSONPointer(tokens: ["total"]))

    @Test(arguments: [
        (1, 0, 0, 0, Pages.Step.end), (1, 4, 0, 4, .end), (1, 2, 0, 4, .more), (2, 2, 2, 4, .end), (2, 1, 2, 4, .more),
        (2, 0, 2, 4, .inconclusive),
        (2, 9, 2, 4, .end), (999, 1, 998, 5000, .more), (1000, 1, 999, 5000, .inconclusive), (1000, 1, 999, 1000, .end),
    ])
    func endIsKnownFromTheTotal(page: Int, rows: Int, seen: Int, total: Int, step: Pages.Step) {
        #expect(pages.step(page: page, rows: rows, seen: seen, total: total) == step)
    }

    @Test func addsToAnExistingQuery() {
        #expect(pages.added(to: "https://a.example/b", page: 2) == "https://a.example/b?page=2&per_page=100")
        #expect(pages.added(to: "https://a.example/b?c=d", page: 1) == "https://a.example/b?c=d&page=1&per_page=100")
    }
}
