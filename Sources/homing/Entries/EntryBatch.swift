import ControlAPI

/// Applies an action to several entries, and continues after an error in one.
struct EntryBatch {
    private(set) var done: [EntrySummary] = []
    private(set) var failures: [(id: String, problem: Problem)] = []

    /// True after an error that is not about a single entry.
    private(set) var wasStopped = false

    /// Stops at an error that is not about a single entry, such as missing permission.
    mutating func run(_ ids: [String], _ action: (String) async throws(Problem) -> EntrySummary) async {
        for id in ids {
            do throws(Problem) {
                done.append(try await action(id))
            } catch {
                failures.append((id, error))
                if ![.wrongState, .notFound, .mayDuplicate].contains(error.code) {
                    wasStopped = true
                    return
                }
            }
        }
    }

    /// The first error, with the number of entries that succeeded.
    var problem: Problem? {
        guard var problem = failures.first?.problem else { return nil }
        if done.count + failures.count > 1 {
            let names = failures.map { EntryText.shortID($0.id) }
            problem.detail = "Failed for \(names.inWords): \(problem.detail) Succeeded for \(Words.entries(done.count))."
        }
        return problem
    }
}
