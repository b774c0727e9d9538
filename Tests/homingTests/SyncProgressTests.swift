import ArgumentParser
import ControlAPI
import Testing

@testable import homing

@Suite struct SyncProgressTests {
    private func progress(_ before: QueueReport, _ now: BackendReport, sentence: String = "All is well.") -> SyncProgress {
        SyncProgress(
            before: Sample.status(backends: [Sample.backend(queue: before)]), now: Sample.status(sentence, backends: [now]), backend: nil)
    }

    @Test func progressIsOneLine() {
        let start = QueueReport(pending: 15, delivered: 100)
        #expect(SyncText.progress(progress(start, Sample.backend(queue: start))) == "0 of 15 delivered, 15 waiting…")
        let later = QueueReport(pending: 2, inflight: 1, delivered: 112)
        #expect(SyncText.progress(progress(start, Sample.backend(queue: later))) == "12 of 15 delivered, 3 waiting…")
        let stuck = QueueReport(pending: 1, held: 1, dead: 2, delivered: 111)
        let cooling = Sample.backend(gate: "cooling", reason: "The server cannot be reached.", queue: stuck)
        #expect(
            SyncText.progress(progress(start, cooling))
                == "11 of 15 delivered, 2 failed, 1 on hold, 1 waiting… The server cannot be reached.")
    }

    @Test func ignoresEntriesOfOtherAccounts() {
        let others = [WaitingAccount(account: "9", email: "bob@clinic.example", waiting: 2)]
        let now = Sample.backend(queue: .init(pending: 2), others: others)
        #expect(progress(.init(), now).waiting == 0)
        #expect(progress(.init(), now).isOver)
    }

    @Test(
        arguments: [
            (Sample.backend(queue: .init(delivered: 3)), true, 0), (Sample.backend(queue: .init(pending: 1, delivered: 2)), false, 0),
            (Sample.backend(queue: .init(dead: 1, delivered: 2)), true, 6), (Sample.backend(queue: .init(held: 1, delivered: 2)), true, 6),
            (Sample.backend(queue: .init(pending: 2, dead: 1, blocked: 2)), true, 6),
            (Sample.backend(queue: .init(pending: 3, dead: 1, blocked: 2)), false, 6),
            (Sample.backend(gate: "cooling", queue: .init(pending: 3)), false, 0),
            (Sample.backend(gate: "paused", queue: .init(pending: 3)), false, 0),
            (Sample.backend(gate: "signInRequired", queue: .init(pending: 3)), true, 5),
            (Sample.backend(session: Sample.session("signedOut"), queue: .init(pending: 3)), true, 5),
            (Sample.backend(session: Sample.session("signedOut")), true, 0),
        ] as [(BackendReport, Bool, Int32)])
    func statusDeterminesEndAndExitCode(now: BackendReport, isOver: Bool, code: Int32) {
        let progress = progress(.init(pending: 3), now)
        #expect(progress.isOver == isOver)
        #expect(ExitCode(for: progress).rawValue == code)
    }

    @Test func onlyTheNamedBackendCounts() {
        let now = Sample.status(backends: [Sample.backend("one", queue: .init(pending: 3)), Sample.backend("two")])
        #expect(SyncProgress(before: now, now: now, backend: "two").isOver)
        #expect(!SyncProgress(before: now, now: now, backend: nil).isOver)
    }

    @Test func outcomeNamesUndeliveredEntries() {
        let end = progress(.init(pending: 3), Sample.backend(queue: .init(dead: 1, delivered: 2)), sentence: "1 was refused.")
        #expect(
            SyncText.outcome(end) == """
                2 entries delivered.
                1 entry failed or is on hold.
                To list the failed entries, run: homing list --state failed
                1 was refused.
                """)
        let blocked = progress(.init(pending: 3), Sample.backend(queue: .init(pending: 2, blocked: 2)), sentence: "Look.")
        #expect(
            SyncText.outcome(blocked)
                == "2 entries are waiting behind one that needs your decision. To see why, run: homing why ID\nLook.")
        let signIn = progress(.init(), Sample.backend(gate: "signInRequired", queue: .init(pending: 1)), sentence: "1 waits.")
        #expect(
            SyncText.outcome(signIn) == "At breathesafe, an account must sign in first. "
                + "To sign in, run: homing login --backend breathesafe\n1 waits.")
        var keyed = Sample.backend("keyed", gate: "signInRequired", queue: .init(pending: 1))
        keyed.signInCommand = "homing login --backend keyed --token-stdin"
        #expect(
            SyncText.outcome(progress(.init(), keyed)).hasPrefix(
                "At keyed, an account must sign in first. To sign in, run: homing login --backend keyed --token-stdin\n"))
    }

    @Test(
        arguments: [
            (0, nil, "No entries are waiting to be sent."),
            (1, nil, "1 entry is waiting to be sent. Sending has started. To wait until the queue is empty, run: homing sync --wait"),
            (2, "The server cannot be reached.", "2 entries are waiting to be sent.\nThe server cannot be reached."),
            (0, "Not signed in.", "No entries are waiting to be sent.\nNot signed in."),
        ] as [(Int, String?, String)])
    func syncReportsWaitingEntriesAndObstacle(waiting: Int, obstacle: String?, text: String) {
        #expect(SyncText.report(SyncReport(waiting: waiting, cursor: 1, obstacle: obstacle)) == text)
    }

    @Test func syncReportsEntriesOfOtherAccounts() {
        let report = SyncReport(waiting: 0, cursor: 1, obstacle: "2 captures of bob@clinic.example wait.", others: 2)
        #expect(
            SyncText.report(report)
                == "2 entries are waiting for accounts that are not signed in.\n2 captures of bob@clinic.example wait.")
        #expect(
            SyncText.report(SyncReport(waiting: 0, cursor: 1, obstacle: nil, others: 1))
                == "1 entry is waiting for an account that is not signed in.")
    }

    @Test func progressMarkChangesEveryTenPercent() {
        func mark(_ delivered: Int, dead: Int = 0) -> String {
            let queue = QueueReport(pending: 100 - delivered - dead, dead: dead, delivered: delivered)
            return ProgressLine.mark(progress(.init(pending: 100), Sample.backend(queue: queue)))
        }
        #expect(mark(10) == mark(19))
        #expect(mark(19) != mark(20))
        #expect(mark(19) != mark(19, dead: 1))
    }
}
