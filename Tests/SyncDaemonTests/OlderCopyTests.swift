import ControlAPI
import Foundation
import Logging
import Sandbox
import TestSupport
import Testing

@testable import SyncDaemon

@Suite struct OlderCopyTests {
    /// Puts a copy of the store in its place, and returns the entry that was delivered after the copy, and the path of the store.
    private func deliverAfterTheCopy(_ station: DaemonStation) async throws -> (id: String, store: String) {
        let path = Daemon.store(in: station.configuration.stateDirectory)
        var id = ""
        try await station.running {
            _ = try await station.client.call(Endpoints.signIn, DaemonStation.manager)
            _ = try await station.client.call(Endpoints.pause, PauseRequest(reason: "a copy"))
            id = try await station.submit().id
        }
        try FileManager.default.copyItem(atPath: path, toPath: station.directory("copy"))
        try await station.running {
            _ = try await station.client.call(Endpoints.resume, ResumeRequest())
            try await station.delivered(id)
        }
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: station.directory("copy"), toPath: path)
        return (id, path)
    }

    @Test func captureThatWasDeliveredAfterTheCopyIsFoundAndNotSentAgain() async throws {
        try await DaemonStation.with { station in
            let (id, path) = try await deliverAfterTheCopy(station)
            let lines = LoggedLines()
            let daemon = try await Daemon(configuration: station.configuration, environment: [:], log: lines.logger)
            let line = try #require(lines.all.first { $0.message.contains("is an older copy") })
            #expect(line.level == .critical && line.message.contains("then run ‘homing resume’."), "\(line)")
            #expect(line.facts["path"] == path && line.facts["lookedUp"] == "1" && line.facts["held"] == "0", "\(line)")
            try await DaemonStation.running(daemon) {
                let needs = try await station.status().attention
                #expect(needs.contains { $0.knownCode == .paused && $0.text.contains("An older copy of the store was put in its place") })
                let why = try await station.client.call(Endpoints.why, EntryReference(id: id))
                #expect(why.sentence.contains("An older copy of the store was put in its place"), "\(why.sentence)")
                _ = try await station.client.call(Endpoints.resume, ResumeRequest())
                try await station.delivered(id)
                #expect(try await station.client.call(Endpoints.receipt, EntryReference(id: id)).foundByLookup)
                let records = try await station.client.call(Endpoints.audit, AuditQuery(kind: "backup")).records
                #expect(records.map(\.event) == ["backupRestored"] && records.last?.uid == nil)
            }
            #expect(station.sandbox.ledger.entries.count == 1)
        }
    }

    /// The change begins a run, so the start that follows finds no copy any more.
    @Test func changeOfTheKeysTellsOfTheCopyOnce() async throws {
        try await DaemonStation.with { station in
            _ = try await deliverAfterTheCopy(station)
            let key = try KeyAdministration(configuration: station.directory("homing.yaml"), environment: [:])
            var told: [String] = []
            let text = try await key.rotate(to: nil, by: "test") { told.append($0) }
            #expect(told.count == 1 && told.first?.hasPrefix("The store is an older copy that was put in its place") == true, "\(told)")
            #expect(told.first?.contains("then run ‘homing resume’.") == true, "\(told)")
            #expect(text.hasPrefix("The station has a new master key, "), "\(text)")
            _ = try await key.rotate(to: nil, by: "test") { told.append($0) }
            #expect(told.count == 1, "\(told)")
        }
    }
}
