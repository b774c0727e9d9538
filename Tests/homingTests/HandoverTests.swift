import ControlAPI
import Foundation
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

    // MARK: Files

    /// Knows each id that it has accepted, with the account of that time.
    private final class Accounts: Sendable {
        private let signedIn: Mutex<[String]>
        private let known = Mutex<[String: String]>([:])

        /// The signed-in account for each question; the last one stays.
        init(_ signedIn: [String]) { self.signedIn = Mutex(signedIn) }

        func owner() -> FileOwner? {
            signedIn.withLock { accounts in
                let account = accounts.count > 1 ? accounts.removeFirst() : accounts[0]
                return FileOwner(backend: "b", account: account)
            }
        }

        func accept(_ submission: Submission, of account: String) -> SubmissionReceipt {
            let id = submission.id ?? ""
            let earlier = known.withLock { known in
                defer { if known[id] == nil { known[id] = account } }
                return known[id]
            }
            return SubmissionReceipt(
                id: id, sequence: 1, duplicate: earlier != nil, backend: "b", account: earlier ?? account, lane: "l")
        }
    }

    /// Submits one file, while the daemon has the account `account`.
    private func submit(
        _ accounts: Accounts, of account: String, _ number: Int
    ) async throws -> (receipt: SubmissionReceipt, isKeyed: Bool) {
        let file = try #require(FileHandle(forReadingAtPath: #filePath))
        let key = try #require(FileKey(file) { _ in "ext4" })
        let handover = Handover(send: { submission async throws(Problem) in accounts.accept(submission, of: account) }, pause: {})
        return try await handover.submit(Submission(route: "measurement", id: Sample.id(number)), key) { accounts.owner() }
    }

    @Test func unchangedFileIsStoredOnce() async throws {
        let accounts = Accounts(["1"])
        let first = try await submit(accounts, of: "1", 1)
        let second = try await submit(accounts, of: "1", 2)
        #expect(!first.receipt.duplicate && second.receipt.duplicate && second.isKeyed)
        #expect(second.receipt.id == first.receipt.id && first.receipt.id != Sample.id(1))
    }

    @Test func fileOfAnAccountThatSignsInMeanwhileIsStored() async throws {
        let accounts = Accounts(["1", "1", "2"])
        _ = try await submit(accounts, of: "1", 1)
        let second = try await submit(accounts, of: "2", 2)
        #expect(!second.receipt.duplicate && !second.isKeyed)
        #expect(second.receipt.id == Sample.id(2) && second.receipt.account == "2")
    }

    @Test func entryOfAnotherAccountDoesNotStandForAFile() async throws {
        let accounts = Accounts(["1"])
        _ = try await submit(accounts, of: "2", 1)
        let second = try await submit(accounts, of: "1", 2)
        #expect(!second.receipt.duplicate && second.receipt.id == Sample.id(2) && second.receipt.account == "1")
    }

    @Test func fileWithoutAKeyHasANewID() async throws {
        let accounts = Accounts(["1"])
        let handover = Handover(send: { submission async throws(Problem) in accounts.accept(submission, of: "1") }, pause: {})
        let result = try await handover.submit(Submission(route: "measurement", id: Sample.id(1)), nil) { accounts.owner() }
        #expect(result.receipt.id == Sample.id(1) && !result.isKeyed)
    }
}
