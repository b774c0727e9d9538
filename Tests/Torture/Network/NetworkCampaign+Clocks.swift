import ControlAPI
import Delivery
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport

extension NetworkCampaign {
    /// A station with a clock that is years behind or ahead, from its start or after a step.
    func clocks(seed: UInt64, _ outcome: inout Outcome) async throws {
        var dice = SplitMix64(seed: seed)
        let trusting = try await TrustingStation()
        let station = trusting.station
        let clock = station.directory("clock")
        func set(years: Int) throws {
            var seconds = Int64(years) * 365 * 86_400
            let file = open(clock, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            guard file >= 0, pwrite(file, &seconds, 8, 0) == 8 else { throw StationError("cannot write to \(clock)") }
            close(file)
        }
        guard let library = Recorder.library else { throw StationError(Recorder.isMissing) }
        let environment = ["LD_PRELOAD": library, "RECORDER_CLOCK": clock]
        try set(years: 0)
        try await station.start(environment)
        try await Self.patiently { try await station.login() }
        let behind = "Otherwise set the clock"
        let people = "Tell the administrator of the network or the backend"
        let wrong: [(name: String, years: Int, cause: String, words: String, remedy: String)] = [
            ("before this program was built", -6, "clock", "this station’s clock says \(Self.year(-6))", behind),
            ("before any date", -50, "clock", "this station’s clock says \(Self.year(-50))", behind),
            ("years ahead", 9, "tls", "this station’s clock says \(Self.year(9))", people),
            ("decades ahead", 30, "clock", "this station’s clock says \(Self.year(30))", behind),
        ]
        var number = 0
        for (name, years, cause, words, remedy) in wrong.shuffled(using: &dice) {
            let restarts = Bool.random(using: &dice)
            number += 2
            if restarts { try await station.end(SIGTERM) }
            try set(years: years)
            if restarts { try await station.start(environment) }
            // Closes connections, since an open one needs no new certificate.
            try await trusting.front.show(trusting.good)
            let certificate = WrongCertificate(
                name: "clock \(name)\(restarts ? ", from the start" : "")", identity: trusting.good, cause: cause, words: words,
                remedy: remedy)
            try await refuses(trusting, numbers: number - 1...number, certificate, &outcome)
            try set(years: 0)
            if try await !settlesByItself(station, &outcome) { outcome.failures.append("\(certificate.name): delivery does not resume") }
            outcome.met(certificate.name)
        }
        try await concludes(trusting, acknowledged: number, &outcome)
    }

    private static func year(_ years: Int) -> String {
        Date.now.addingTimeInterval(TimeInterval(years) * 365 * 86_400).formatted(.iso8601.year())
    }
}
