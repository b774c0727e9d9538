import Backends
import ControlAPI

extension Backend {
    /// The kind, as in sentences: `fit test`, `new person`, `person deletion`.
    func kind(route name: String) -> RosterTitle {
        if let title = self.title(route: name) { return RosterTitle(title) }
        if let (kind, row) = action(route: name) {
            return RosterTitle(one: "\(row.one) \(kind.rawValue)", many: "\(row.one) \(kind.rawValue)s", kind: kind, word: row.one)
        }
        if let title = creates(route: name).flatMap(self.resource)?.title {
            return RosterTitle(one: "new \(title.one)", many: "new \(title.many)", kind: .new, word: title.one)
        }
        guard routes.contains(name) else { return RosterTitle(route: name) }
        let words = name.replacing("_", with: " ")
        return RosterTitle(one: words, many: words + "s")
    }

    /// The same in a sentence that names the row: `deletion`.
    func noun(route name: String) -> String {
        guard self.title(route: name) == nil, let action = action(route: name) else { return kind(route: name).one }
        return action.kind.rawValue
    }

    /// Nil for a route that neither deletes nor changes a row. The names of these kinds are also their words.
    private func action(route name: String) -> (kind: RosterTitle.Kind, row: Resource.Title)? {
        if let row = deletes(route: name).flatMap(self.resource)?.title { return (kind: .deletion, row: row) }
        return changes(route: name).flatMap(self.resource).map { (kind: .change, row: $0.title) }
    }
}
