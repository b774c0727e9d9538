import ControlAPI

typealias EntryBatch = Batch<EntrySummary>

/// Applies an action to several entries or files, and continues after an error in one.
struct Batch<Done: Sendable> {
    private(set) var done: [Done] = []
    private(set) var failures: [(name: String, problem: Problem)] = []

    /// True after an error that is not about a single one.
    private(set) var wasStopped = false

    /// Stops at an error that is not about a single one, such as missing permission.
    ///
    /// - Parameters:
    ///   - codes: of errors that are about a single one.
    ///   - ignored: the code of an error that is no failure.
    mutating func run(
        _ names: [String], passing codes: [Problem.Code] = [.wrongState, .notFound, .mayDuplicate], ignoring ignored: Problem.Code? = nil,
        _ action: (String) async throws(Problem) -> Done
    ) async {
        for name in names {
            do throws(Problem) {
                done.append(try await action(name))
            } catch {
                if error.code == ignored { continue }
                failures.append((name, error))
                if !codes.contains(error.code) {
                    wasStopped = true
                    return
                }
            }
        }
    }

    private func firstProblem(succeeding count: String, name: (String) -> String) -> Problem? {
        guard var problem = failures.first?.problem else { return nil }
        if done.count + failures.count > 1 {
            let names = failures.map { name($0.name) }.inWords(atMost: 10)
            problem.detail = "Failed for \(names): \(problem.detail) Succeeded for \(count)."
        }
        return problem
    }
}

extension Batch<EntrySummary> {
    /// The first error, with the number of entries that succeeded.
    var problem: Problem? { firstProblem(succeeding: Words.entries(done.count)) { EntryText.shortID($0) } }
}

extension Batch<DiscardedFile> {
    /// The first error, with the number of files that were discarded.
    var problem: Problem? {
        let count = Words.count(done.count, "file", "files")
        guard var first = firstProblem(succeeding: count, name: { "‘\($0.printable)’" }) else { return nil }
        if failures.count > 1, failures.contains(where: { $0.problem.code == .notPermitted }) {
            let own = first.code == .notPermitted ? nil : first.next
            first.next = [own, "An administrator runs: homing discard --all-files --reason TEXT"].compactMap(\.self).joined(separator: "\n")
        }
        return first
    }
}
