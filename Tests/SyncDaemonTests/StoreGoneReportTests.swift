import ControlAPI
import Foundation
import Glibc
import TestSupport
import Testing

@testable import SyncDaemon

@Suite struct StoreGoneReportTests {
    enum Loss: CaseIterable {
        case directory, store, log, replaced

        /// - Parameter state: the state directory of the running daemon.
        func happen(in state: String) throws {
            let (files, store) = (FileManager.default, Daemon.store(in: state))
            switch self {
            case .directory: try files.removeItem(atPath: state)
            case .store: try files.removeItem(atPath: store)
            case .log: try files.removeItem(atPath: store + "-wal")
            case .replaced:
                try files.copyItem(atPath: store, toPath: state + "/copy")
                try files.removeItem(atPath: store)
                try files.moveItem(atPath: state + "/copy", toPath: store)
            }
        }
    }

    private func text(_ station: DaemonStation) async -> String? {
        await StoreGoneReport.text(file: station.directory("homing.yaml"), environment: [:])
    }

    @Test(arguments: Loss.allCases) func runningDaemonTellsOfItsLoss(loss: Loss) async throws {
        try await DaemonStation.with { station in
            let state = station.configuration.stateDirectory
            #expect(await text(station) == nil, "a station that has never started")
            try await station.running {
                _ = try await station.status()
                #expect(await text(station) == nil)
                try loss.happen(in: state)
                let words = try #require(await text(station))
                let path = Daemon.store(in: state) + (loss == .log ? "-wal" : "")
                #expect(words.hasPrefix("The store \(path) was deleted or replaced while the daemon runs."), "\(words)")
                #expect(words.contains("\nsudo homingd key export KEYFILE --unencrypted\nsudo homing backup FILE\n"), "\(words)")
            }
            #expect(await text(station) == nil, "no daemon has the store")
        }
    }

    /// Advice for a stopped daemon would end the only one that has the key.
    @Test func runningDaemonHasTheDeletedKey() async throws {
        try await DaemonStation.with { station in
            let key = station.configuration.stateDirectory + "/homing.key"
            try await station.running {
                _ = try await station.status()
                let content = try Data(contentsOf: URL(fileURLWithPath: key))
                try FileManager.default.removeItem(atPath: key)
                let words = try #require(await text(station))
                #expect(words.hasPrefix("\(key) is missing. Only the daemon has it, so do not stop the daemon."), "\(words)")
                #expect(words.contains("\nsudo homingd key export KEYFILE --unencrypted\nsudo install "), "\(words)")
                #expect(words.contains(" -m 0600 KEYFILE \(key)\nThen move KEYFILE"), "\(words)")
                try content.write(to: URL(fileURLWithPath: key))
                chmod(key, 0o600)
                #expect(await text(station) == nil)
                try FileManager.default.removeItem(atPath: key)
            }
            #expect(await text(station) == nil, "no daemon has the key")
        }
    }

    /// A configuration file may name the socket of another user.
    @Test func wordsOfAnAnswerAreNotRepeated() {
        let foreign = Attention(code: "store-gone", text: "\u{1b}[2J", next: "sudo rm -rf /").stating { $0.path = "/x\nsudo reboot" }
        let own = "\(StoreGone.sentence("/s/outbox.sqlite"))\n\(StoreGone.next)"
        #expect(StoreGoneReport.text(of: [foreign], store: "/s/outbox.sqlite") == own)
    }

    /// The script would otherwise advise a restart, which loses the captures.
    @Test func packageRecognizesTheReport() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let script = try String(contentsOf: root.appendingPathComponent("systemd/debian/homing.postinst"), encoding: .utf8)
        let words = "was deleted or replaced while the daemon runs"
        #expect(script.contains("*\"\(words)\"*)") && StoreGone.sentence("/s/outbox.sqlite").contains(words))
    }
}
