import ControlAPI
import ControlServer
import Foundation
import Sandbox
import TestSupport
import Testing

@testable import SyncDaemon

@Suite(.timeLimit(.minutes(60))) struct ExaminationTests {
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
