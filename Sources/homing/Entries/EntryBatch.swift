import ControlAPI

/// The same done to several entries: what is wrong with one of them does not keep the others from it.
struct EntryBatch {
    private(set) var done: [EntrySummary] = []
    private(set) var failures: [(id: String, problem: Problem)] = []

    /// Does `action` to each; ends early at a problem that is not about one entry, e.g. a missing right.
    mutating func run(_ ids: [String], _ action: (String) async throws(Problem) -> EntrySummary) async {
        for id in ids {
            do throws(Problem) {
                done.append(try await action(id))
            } catch {
                failures.append((id, error))
                if error.code != .wrongState && error.code != .notFound { return }
            }
        }
    }

    /// The first problem, told with how many entries were done all the same; nil where all went well.
    var problem: Problem? {
        guard var problem = failures.first?.problem else { return nil }
        if done.count + failures.count > 1 {
            let names = failures.map { EntryText.shortID($0.id) }
            problem.detail = "Not done to \(Words.list(names)): \(problem.detail) Done to \(Words.entries(done.count))."
        }
        return problem
    }
}
