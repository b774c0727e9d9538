import Backends
import ControlAPI
import ControlServer
import Foundation
import Sandbox
import SyncModel
import TestSupport
import Testing

@testable import SyncDaemon

@Suite struct ExaminationTests {
    private func examined(_ station: DaemonStation) async throws -> [Finding] {
        try await station.client.call(Endpoints.doctor, NoInput()).findings
    }

    @Test func wellStationHasOnlyGoodFindings() async throws {
        try await DaemonStation.with { station in
            try await station.running {
                let found = try await examined(station)
                #expect(found.filter { !$0.isOK } == [])
                let checks: [Finding.Check] = [.role, .configuration, .proxy, .name, .connection, .answer, .space, .files, .key]
                #expect(Set(checks).isSubset(of: Set(found.map(\.knownCheck))))
            }
        }
    }

    @Test func changesNeitherTheSessionNorTheOutbox() async throws {
        try await DaemonStation.with { station in
            try await station.running {
                _ = try await station.client.call(Endpoints.signIn, DaemonStation.manager)
                let before = try await station.status()
                _ = try await examined(station)
                let after = try await station.status()
                #expect(after.backends.map(\.session) == before.backends.map(\.session))
                try await station.delivered(try await station.submit().id)
            }
        }
    }

    /// Its connections never end.
    private struct SilentNetwork: Transport {
        func send(_ request: OutboundRequest) async throws(TransportError) -> InboundResponse {
            throw TransportError.unreachable(await silence())
        }
        func connect(to url: String) async throws(TransportError) { throw TransportError.unreachable(await silence()) }

        private func silence() async -> Failure {
            for await _ in AsyncStream.makeStream(of: Void.self).stream {}
            return Failure(.offline, "It was cancelled.")
        }
    }

    @Test func allConnectionsTogetherHaveALimit() async throws {
        try await DaemonStation.with { station in
            let daemon = try await station.daemon()
            try await DaemonStation.running(daemon) {
                let own = daemon.handler.examination
                let examination = Examination(
                    configuration: own.configuration, backends: own.backends, transport: SilentNetwork(), environment: [:],
                    outbox: own.outbox, clock: own.clock, patience: .milliseconds(1))
                let trials = await examination.trials
                #expect(trials.map(\.backend) == ["breathesafe"] && trials.allSatisfy(\.isCut))
                #expect(trials.first?.refusal?.message.contains("did not answer within 0 seconds") == true)
            }
        }
    }

    @Test func othersLearnOnlyTheirRole() async throws {
        try await DaemonStation.with { station in
            let daemon = try await station.daemon()
            try await DaemonStation.running(daemon) {
                await station.sandbox.down()
                let caller = Caller(Peer(pid: 7, uid: 54_321, groups: []), .operate)
                let report = try await daemon.handler.doctor(NoInput(), by: caller)
                #expect(report.findings.map(\.knownCheck) == [.role] && report.settings == nil)
                let own = try await station.client.call(Endpoints.doctor, NoInput())
                #expect(own.settings?.backends.first?.health == true && own.settings?.backends.first?.bearer == false)
            }
        }
    }

    @Test func findsDeadServerMistakesAndOpenKey() async throws {
        try await DaemonStation.with { station in
            try await station.running {
                await station.sandbox.down()
                try station.directory.write("nonsense: true\n", to: "homing.yaml")
                let key = station.configuration.stateDirectory + "/homing.key"
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
                let bad = Set(try await examined(station).filter { !$0.isOK }.map(\.knownCheck))
                #expect(bad == [.configuration, .connection, .key])
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
            }
        }
    }
}
