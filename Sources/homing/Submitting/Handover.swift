import ControlAPI

/// Hands submissions to the daemon so that a lost answer neither loses nor doubles one: every submission carries its id.
struct Handover {
    let send: (Submission) async throws(Problem) -> SubmissionReceipt
    /// Gives a daemon that is just starting a moment.
    let pause: () async -> Void

    /// Returns once it is on disk; where the answer was lost, asks once more under the same id.
    func submit(_ submission: Submission) async throws(Problem) -> SubmissionReceipt {
        do throws(Problem) {
            return try await send(submission)
        } catch {
            guard Self.answerMayBeLost(error) else { throw error }
        }
        await pause()
        do throws(Problem) {
            return try await send(submission)
        } catch {
            guard Self.answerMayBeLost(error), let id = submission.id else { throw error }
            var problem = error
            problem.next = [problem.next, "Then hand it in again with --id \(id), so that it cannot be there twice."]
                .compactMap(\.self).joined(separator: " ")
            throw problem
        }
    }

    private static func answerMayBeLost(_ problem: Problem) -> Bool { [.daemonNotRunning, .timeout].contains(problem.code) }
}
