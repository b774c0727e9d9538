/// A request for a list in pages.
package protocol PagedQuery: Sendable {
    associatedtype Cursor
    var after: Cursor? { get set }
}

/// Its response.
package protocol ListPage: Sendable {
    associatedtype Item
    associatedtype Cursor
    var items: [Item] { get }
    /// The cursor of the next page; nil at the end.
    var next: Cursor? { get }
}

extension PagedQuery {
    /// The items of this page and all later ones.
    package func allPages<Page: ListPage>(
        _ fetch: (Self) async throws(Problem) -> Page
    ) async throws(Problem) -> [Page.Item] where Page.Cursor == Cursor {
        var query = self
        var found: [Page.Item] = []
        while true {
            let page = try await fetch(query)
            found += page.items
            guard let next = page.next else { return found }
            query.after = next
        }
    }
}

extension EntryQuery: PagedQuery {}
extension EntryPage: ListPage {
    package var items: [EntrySummary] { entries }
}

extension RefusedFileQuery: PagedQuery {}
extension RefusedFileList: ListPage {
    package var items: [RefusedFile] { files }
}
