import ControlAPI
import Synchronization
import Testing

@testable import homing

@Suite struct HandoverTests {
    /// Fails with each of `problems`, then accepts.
    private final class Daemon: Sendable {
        private let problems: Mutex<[Problem.Code]>
        let heard = Mutex<[String?]>([])
        init(_ problems: [Problem.Code]) { self.problems = Mutex(problems) }

        func accept(_ submission: Submission) throws(Problem) -> SubmissionReceipt {
            heard.withLock { $0.append(submission.id) }
            if let code = problems.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
                throw Problem(code, status: 500, title: "", detail: "", next: "Start it.")
            }
            return SubmissionReceipt(id: submission.id ?? "", sequence: 1, duplicate: false, backend: "b", account: "5", lane: "l")
        }
    }

    private func submit(_ daemon: Daemon) async throws(Problem) -> SubmissionReceipt {
        let handover = Handover(send: { submission async throws(Problem) in try daemon.accept(submission) }, pause: {})
        return try await handover.submit(Submission(route: "measurement", id: Sample.id(1)))
    }

    @Test(arguments: [Problem.Code.daemonNotRunning, .timeout])
    func retriesLostAnswerWithSameID(code: Problem.Code) async throws {
        let daemon = Daemon([code])
        #expect(try await submit(daemon).id == Sample.id(1))
        #expect(daemon.heard.withLock { $0 } == [Sample.id(1), Sample.id(1)])
    }

    @Test func secondFailureReportsTheID() async {
        let daemon = Daemon([.timeout, .daemonNotRunning, .timeout])
        let problem = await #expect(throws: Problem.self) { try await submit(daemon) }
        #expect(problem?.code == .daemonNotRunning)
        #expect(problem?.next == "Start it.\nThen submit it again with --id \(Sample.id(1)), so that it cannot exist twice.")
        #expect(daemon.heard.withLock { $0.count } == 2)
    }

    @Test(arguments: [Problem.Code.invalidRequest, .idConflict, .storageFailed, .notPermitted])
    func aRefusalIsNotRepeated(code: Problem.Code) async {
        let daemon = Daemon([code])
        await #expect(throws: Problem.self) { try await submit(daemon) }
        #expect(daemon.heard.withLock { $0.count } == 1)
    }
}
