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
        await batch.run(["a.json", "b.json", "c.json", "d.json"], passing: [.notFound, .notPermitted]) { name async throws(Problem) in
            if name != "a.json" && name != "c.json" { return DiscardedFile(name: name) }
            throw Problem(.notPermitted, status: 403, title: "", detail: "Another user dropped it.", next: "n")
        }
        #expect(batch.done.map(\.name) == ["b.json", "d.json"])
        #expect(batch.problem?.detail == "Failed for ‘a.json’ and ‘c.json’: Another user dropped it. Succeeded for 2 files.")
        #expect(batch.problem?.next == "An administrator runs: homing discard --all-files --reason TEXT")
    }

    @Test func successfulBatchHasNoProblem() async { #expect(await batch(failing: [:]).problem == nil) }
}
