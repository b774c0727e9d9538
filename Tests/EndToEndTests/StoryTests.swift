import Foundation
import StationSupport
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct StoryTests {
    @Test func aStoryEndsWithBooksThatAgree() async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: TestStation.programs + "/homing-sandbox")
        process.arguments = ["demo", "--backend", "story16", "--profiles", TestStation.project + "/config/backends"]
        let (code, text) = try await process.ended()
        #expect(code == 0, "\(text)")
        for line in [
            "The message whose answer was lost was put to the same address again: 10 times taken, 9 messages there.",
            "Everything has gone up: 9 captures delivered, nothing is waiting.",
            "manager@lab.test is signed out of story16 on this station.",
            "They agree: nothing lost, nothing twice, all in order.",
        ] { #expect(text.contains(line), "\(line) is not in \(text)") }
    }
}
