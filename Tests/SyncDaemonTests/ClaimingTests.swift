import Capture
import ControlAPI
import ControlServer
import Foundation
import Logging
import TestSupport
import Testing

@testable import SyncDaemon

@Suite struct ClaimingTests {
    private static let capturer = Peer(pid: 7, uid: 61_500, groups: [])
    private static let administrator = Peer(pid: 7, uid: 0, groups: [])

    @Test(arguments: [
        (UnclaimedFiles.ask, capturer, Problem.Code.signInRequired), (.hold, capturer, .notPermitted),
        (.hold, administrator, .signInRequired),
    ])
    func onlyAdministratorClaimsFilesOnHold(policy: UnclaimedFiles, peer: Peer, expected: Problem.Code) async throws {
        try await DaemonStation.with { station in
            var configuration = station.configuration
            configuration.spool.unclaimed = policy
            configuration.access = AccessGroups()
            let daemon = try await Daemon(
                configuration: configuration, environment: [:], log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            // A permitted caller gets as far as the missing sign-in.
            let caller = Caller(peer, try #require(daemon.policy.access(of: peer)))
            let problem = await #expect(throws: Problem.self) { try await daemon.handler.claim(NoInput(), by: caller) }
            #expect(problem?.code == expected)
        }
    }
}
