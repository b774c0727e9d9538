import Foundation
import StationSupport
import Testing

@testable import homing_torture

@Suite struct TortureReportTests {
    @Test func reportListsOtherCountsAfterFaults() {
        var outcome = Outcome("door", seed: 7)
        outcome.minutes = 2.5
        outcome.met("hostile requests", 1200)
        outcome.counted("answered 200", 34_000)
        outcome.counted("never", 0)
        let report = Report(outcomes: [outcome], left: [], minutes: 1, began: Date(timeIntervalSince1970: 0))
        #expect(report.markdown.contains("| door | 2.5 | 0 | 1,200 | 0 |"), "\(report.markdown)")
        let text = report.faultsMarkdown
        #expect(text.contains("- **door**: hostile requests 1,200.\n  Also counted: answered 200 34,000."), "\(text)")
    }

    @Test func promisesAreCompleteAndNameExistingTests() throws {
        let files = try FileManager.default.subpathsOfDirectory(atPath: TestStation.project + "/Tests")
        let suites = Set(
            files.filter { $0.hasSuffix("Tests.swift") }.map { URL(fileURLWithPath: $0).deletingPathExtension().lastPathComponent })
        #expect(Promise.all.map(\.number) == Array(1...14))
        for promise in Promise.all {
            #expect(promise.campaigns.allSatisfy(RunCommand.names.contains), "promise \(promise.number): \(promise.campaigns)")
            #expect(promise.tests.allSatisfy(suites.contains), "promise \(promise.number): \(promise.tests)")
        }
    }
}
