import ControlAPI
import Testing

@testable import homing

@Suite struct EntryBatchTests {
    private func batch(failing: [Int: Problem.Code]) async -> EntryBatch {
        var batch = EntryBatch()
        await batch.run((1...4).map(Sample.id)) { id async throws(Problem) in
            let number = Int(id.suffix(1)) ?? 0
            if let code = failing[number] { throw Problem(code, status: 409, title: "", detail: "It is delivered already.") }
            return Sample.entry(number)
        }
        return batch
    }

    @Test func failureOfOneEntryDoesNotStopOthers() async {
        let batch = await batch(failing: [2: .wrongState, 3: .notFound])
        #expect(batch.done.map(\.sequence) == [1, 4])
        #expect(await self.batch(failing: [2: .mayDuplicate]).done.map(\.sequence) == [1, 3, 4])
        #expect(
            batch.problem?.detail == "Failed for 3f2a91c04b02 and 3f2a91c04b03: It is delivered already. Succeeded for 2 entries.")
    }

    @Test func failureOfTheCallEndsBatch() async {
        let batch = await batch(failing: [2: .notPermitted])
        #expect(batch.done.map(\.sequence) == [1])
        #expect(batch.problem?.code == .notPermitted)
    }

    @Test func failuresOfFilesAreNamed() async {
        var batch = Batch<DiscardedFile>()
        await batch.run(["a.json", "b.json", "c.json", "d.json"], passing: [.notPermitted]) { name async throws(Problem) in
            if name != "a.json" && name != "c.json" { return DiscardedFile(name: name) }
            throw Problem(.notPermitted, status: 403, title: "", detail: "Another user dropped it.", next: "n")
        }
        #expect(batch.done.map(\.name) == ["b.json", "d.json"])
        #expect(batch.problem?.detail == "Failed for ‘a.json’ and ‘c.json’: Another user dropped it. Succeeded for 2 files.")
        #expect(batch.problem?.next == "An administrator runs: homing discard --all-files --reason TEXT")
    }

    private func files(_ numbers: ClosedRange<Int>, failing failure: (Int) -> Problem.Code?) async -> Batch<DiscardedFile> {
        var batch = Batch<DiscardedFile>()
        for number in numbers {
            await batch.run(["\(number)"], passing: [.notPermitted, .wrongState], ignoring: .notFound) { name async throws(Problem) in
                if let code = failure(number) { throw Problem(code, status: 409, title: "", detail: "It stays.", next: "Look again.") }
                return DiscardedFile(name: name)
            }
        }
        return batch
    }

    @Test func atMostTenFailuresAreNamed() async {
        let problem = await files(1...3000) { $0 == 1 ? nil : .notPermitted }.problem
        let names = "‘2’, ‘3’, ‘4’, ‘5’, ‘6’, ‘7’, ‘8’, ‘9’, ‘10’, ‘11’ and 2989 more"
        #expect(problem?.detail == "Failed for \(names): It stays. Succeeded for 1 file.")
    }

    /// The file is gone, as it should be.
    @Test func missingFileIsNoFailure() async {
        let batch = await files(1...3) { $0 == 2 ? .notFound : nil }
        #expect(batch.done.map(\.name) == ["1", "3"] && batch.problem == nil)
    }

    @Test func administratorIsNamedAlsoForLaterFailures() async {
        let next = await files(1...3) { $0 == 1 ? .wrongState : .notPermitted }.problem?.next
        #expect(next == "Look again.\nAn administrator runs: homing discard --all-files --reason TEXT")
        let own = await files(1...3) { $0 == 1 ? .wrongState : nil }.problem?.next
        #expect(own == "Look again.")
    }

    @Test func successfulBatchHasNoProblem() async { #expect(await batch(failing: [:]).problem == nil) }
}
