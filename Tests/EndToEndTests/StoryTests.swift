import Foundation
import StationSupport
import TestSupport
import Testing

@Suite struct StoryTests {
    private func demo(_ backend: String, _ options: String...) async throws -> (code: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: TestStation.programs + "/homing-sandbox")
        process.arguments =
            [
                "demo", "--backend", backend, "--profiles", TestStation.project + "/config/backends", "--data",
                TestStation.project + "/Tests/Data",
            ] + options
        return try await process.ended()
    }

    private func tell(_ backend: String) async throws -> String {
        let (code, text) = try await demo(backend)
        #expect(code == 0, "\(text)")
        return text
    }

    @Test func failedStartOfAProgramIsReportedWithTheReason() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "homingd")
        chmod(directory("homingd"), 0o600)
        let (code, text) = try await demo("lists", "--programs", directory.path)
        #expect(code == 1 && text.contains("Cannot start \(directory("homingd")): Permission denied.\n"), "\(text)")
    }

    @Test func breatheSafeDemoDeliversForTheRightPeople() async throws {
        let text = try await tell("breathesafe")
        for line in [
            "first.json is stored safely as",
            "for Eve Trial (new). Homing sends it to breathesafe automatically.",
            "Warning: 10 is not one of your people",
            "new person with the server id 11\n",
            "name of Eve Trial (11)\n",
            "10 is not, or no longer, one of the people that manager@lab.test manages",
            "for Ben Sample (6). Homing sends it to breathesafe automatically.",
            "Zoë Demo (being deleted)",
            "deletion of Zoë Demo (8)",
            "submitted     19        19 entries",
            "nothing lost, nothing duplicated, all in order, all for the right person. The right person is gone, and all others are still listed.",
        ] { #expect(text.contains(line), "\(line) is not in \(text)") }
        let measurements = text.matches(of: /\d\. measurement \d+ of (.*) \((\d+)\)/).map { "\($0.1) \($0.2)" }
        #expect(measurements.count { $0 == "Eve Trial 11" } == 2, "\(text)")
    }

    @Test(arguments: ["lists", "lists-2026"]) func listsDemoDeliversAListAndItsTasks(backend: String) async throws {
        let text = try await tell(backend)
        for line in ["task ‘Water’, completed", "6 new tasks are not", "They agree: nothing lost, nothing duplicated, all in order."] {
            #expect(text.contains(line), "\(line) is not in \(text)")
        }
    }

    @Test func story16DemoLosesAndDuplicatesNothing() async throws {
        let text = try await tell("story16")
        for line in [
            "It sent the message whose answer was lost to the same URL again: 10 requests accepted, 9 messages stored.",
            "Everything has been delivered: 9 messages. Nothing is waiting.",
            "manager@lab.test is signed out of story16 on this station.",
            "They agree: nothing lost, nothing duplicated, all in order.",
        ] { #expect(text.contains(line), "\(line) is not in \(text)") }
    }
}
