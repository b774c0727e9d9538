import ControlAPI
import Foundation
import TestSupport
import Testing

@testable import SyncDaemon

@Suite(.timeLimit(.minutes(60))) struct StoreGoneReportTests {
    private func text(_ station: DaemonStation) async -> String? {
        await StoreGoneReport.text(file: station.directory("homing.yaml"), environment: [:])
    }

    @Test(arguments: ["", "/outbox.sqlite"]) func runningDaemonTellsOfItsLoss(path: String) async throws {
        try await DaemonStation.with { station in
            let state = station.configuration.stateDirectory
            #expect(await text(station) == nil, "a station that has never started")
            try await station.running {
                _ = try await station.status()
                #expect(await text(station) == nil)
                try FileManager.default.removeItem(atPath: state + path)
                let words = try #require(await text(station))
                #expect(words.hasPrefix("The store \(state)/outbox.sqlite was deleted or replaced while the daemon runs."), "\(words)")
                #expect(words.contains("\nsudo homingd key export KEYFILE --unencrypted\nsudo homing backup FILE\n"), "\(words)")
            }
            #expect(await text(station) == nil, "no daemon has the store")
        }
    }
}

@Suite struct SocketActivationTests {
    /// Exit codes of `systemctl is-active`; nil without systemd.
    @Test(arguments: [(0, 0, false), (3, 0, true), (3, 3, false)] as [(Int32, Int32, Bool)])
    func onlyTheListeningSocketOfAStoppedServiceStartsIt(service: Int32, socket: Int32, starts: Bool) async {
        let activation = SocketActivation { _, arguments in arguments.last == "homingd.socket" ? socket : service }
        #expect(await activation.startsService() == starts)
    }
}
