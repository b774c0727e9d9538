import Backends
import ControlAPI
import Foundation
import Sessions
import SyncModel
import TestSupport
import Testing

/// The words that `homing` acts on are those that the daemon sends.
@Suite struct ReportWordsTests {
    private func known<Word: ReportWord>(_ type: Word.Type) -> Set<String> {
        Set(type.allCases.map(\.rawValue)).subtracting([Word.unknown.rawValue])
    }

    @Test func clientKnowsEveryDaemonState() {
        let gates: [Gate] = [.open, .signInRequired, .cooling(until: .distantPast, Samples.failure), .paused(until: nil, reason: "")]
        let servers: [SignOutOutcome.Server] = [.ended, .alreadyGone, .failed(""), .none]
        #expect(known(SessionReport.State.self) == Set(SessionSnapshot.State.allCases.map(\.rawValue)))
        #expect(known(SessionReport.SignInMeans.self) == Set(SignInMeans.allCases.map(\.rawValue)))
        #expect(known(BackendReport.Gate.self) == Set(gates.map(\.name)))
        #expect(known(SignOutReport.Server.self) == Set(servers.map(\.name)))
    }
}
