import Foundation
import StationSupport
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct StoryTests {
    @Test func story16DemoLosesAndDuplicatesNothing() async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: TestStation.programs + "/homing-sandbox")
        process.arguments = ["demo", "--backend", "story16", "--profiles", TestStation.project + "/config/backends"]
        let (code, text) = try await process.ended()
        #expect(code == 0, "\(text)")
        for line in [
            "It sent the message whose answer was lost to the same URL again: 10 requests accepted, 9 messages stored.",
            "Everything has been delivered: 9 captures. Nothing is waiting.",
            "manager@lab.test is signed out of story16 on this station.",
            "They agree: nothing lost, nothing duplicated, all in order.",
        ] { #expect(text.contains(line), "\(line) is not in \(text)") }
    }
}
