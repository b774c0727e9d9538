/// A request about lists and tasks.
struct ListsCall: Sendable {
    enum Target: Sendable, Equatable {
        case lists
        case list(Int)
        case tasks(list: Int)
        /// With the last part of the path, such as `complete`; empty for the task itself.
        case task(Int, action: String)
    }

    let method: String
    let target: Target

    /// Nil for any other path.
    init?(_ request: SandboxRequest, _ edition: ListsEdition) {
        let path = request.segments
        guard path.starts(with: ["api", "v1"]), path.count > 2 else { return nil }
        let isNested = path.count > 4 && path[2] == "lists" && path[4] == "tasks"
        // Only the older version has tasks outside lists too.
        let task = isNested ? path.dropFirst(5) : edition == .guide && path[2] == "tasks" ? path.dropFirst(3) : []
        method = request.method
        if let id = task.first, task.count < 3 {
            target = .task(Int(id) ?? 0, action: task.dropFirst().first ?? "")
        } else if isNested, path.count == 5 {
            target = .tasks(list: Int(path[3]) ?? 0)
        } else if path[2] == "lists", path.count < 5 {
            target = path.count == 3 ? .lists : .list(Int(path[3]) ?? 0)
        } else {
            return nil
        }
    }
}
