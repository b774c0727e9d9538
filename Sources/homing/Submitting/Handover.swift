import ControlAPI

/// Every submission has an id, so a lost response neither loses nor duplicates it.
struct Handover {
    let send: (Submission) async throws(Problem) -> SubmissionReceipt
    /// Gives a starting daemon time to listen.
    let pause: () async -> Void

    /// Returns after the daemon has stored the submission; repeats it once, with the same id, if the response may be lost.
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
            problem.next = [problem.next, "Then submit it again with --id \(id), so that it cannot exist twice."]
                .compactMap(\.self).joined(separator: "\n")
            throw problem
        }
    }

    /// True if the daemon may have carried out the request.
    static func answerMayBeLost(_ problem: Problem) -> Bool { [.daemonNotRunning, .timeout].contains(problem.code) }
}

extension Handover {
    init(to client: ControlClient) {
        self.init { submission async throws(Problem) in
            try await client.call(Endpoints.submit, submission)
        } pause: {
            try? await Task.sleep(for: .seconds(1))  // `try?`: if cancelled, the second attempt fails at once
        }
    }
}
