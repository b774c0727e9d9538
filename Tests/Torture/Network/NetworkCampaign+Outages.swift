import ControlAPI
import Delivery
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport

extension NetworkCampaign {
    struct Outage: Sendable {
        let name: String
        /// Arguments of ip(8), for the station and for the internet.
        var station: [String] = [], internet: [String] = []
        var names = Namespaces.Names.answering
        let words: String
        var stationAfter: [[String]] = [], internetAfter: [[String]] = []
        /// True if the daemon is stopped during the outage.
        var stops = false
    }

    private static let route = ["route", "add", "default", "via", Namespaces.gateway]
    private static let there = "\(Namespaces.backend)/32"

    /// The daemon sees these end, by a change of a link or a route.
    static let noticed = [
        Outage(
            name: "link down", station: ["link", "set", "station", "down"], words: "its name cannot be looked up",
            stationAfter: [["link", "set", "station", "up"], route]),
        Outage(name: "no route", station: ["route", "del", "default"], words: "network is unreachable", stationAfter: [route]),
        Outage(
            name: "black-hole route", station: ["route", "add", "blackhole", there], words: "there is no route to it",
            stationAfter: [["route", "del", "blackhole", there]]),
        Outage(
            name: "unreachable route", station: ["route", "add", "unreachable", there], words: "no route to host",
            stationAfter: [["route", "del", "unreachable", there]]),
        Outage(
            name: "no carrier", internet: ["link", "set", "internet", "down"], words: "its name cannot be looked up",
            internetAfter: [["link", "set", "internet", "up"]]),
    ]

    /// Only a retry finds the end of these.
    static let unnoticed = [
        Outage(
            name: "vanishing packets", internet: ["address", "del", there, "dev", "lo"], words: "connecting took too long",
            internetAfter: [["address", "add", there, "dev", "lo"]]),
        Outage(
            name: "vanishing packets, and a stop", internet: ["address", "del", there, "dev", "lo"], words: "connecting took too long",
            stops: true),
        Outage(name: "silent name server", names: .silent, words: "its name cannot be looked up"),
        Outage(name: "silent name server, and a stop", names: .silent, words: "its name cannot be looked up", stops: true),
        Outage(name: "unknown name", names: .unknown, words: "its name is unknown"),
        Outage(name: "failing name server", names: .failing, words: "its name cannot be looked up"),
    ]

    /// Each outage in turn: the status names the fault, no attempt counts, and deliveries resume afterwards without help.
    func outages(seed: UInt64, _ outcome: inout Outcome) async throws {
        try await Namespaces.check()
        var dice = SplitMix64(seed: seed)
        let folder = try TemporaryDirectory()
        let places = try Namespaces(in: folder.path)
        let trusting = try await TrustingStation(name: Namespaces.name, url: "https://\(Namespaces.name)", at: places.backendSocket)
        let station = trusting.station
        var number = 0
        // With this long pause only a noticed change can resume deliveries. The timeouts are longer, since the one probe must not fail on a slow
        // machine.
        let pauses = [
            (Self.noticed, "first_delay: 0.05, lookup_after: 0.05, first_pause: 600", "connect: 5, request: 5, exchange: 10"),
            (Self.unnoticed, Self.hasty, Self.impatient),
        ]
        for (outages, delivery, timeouts) in pauses.shuffled(using: &dice) {
            try trusting.configure(trusting: trusting.authority, delivery: delivery, timeouts: timeouts)
            var process = try await start(station, in: places)
            if number == 0 { try await Self.patiently { try await station.login() } }
            for outage in outages.shuffled(using: &dice) {
                number += 2
                // Closes connections, since an open one needs no name and no new route. Before the outage, which would keep the daemon from
                // hearing of it.
                try await trusting.front.show(trusting.good)
                if !outage.station.isEmpty { try await places.station(process, outage.station) }
                if !outage.internet.isEmpty { try await places.internet(outage.internet) }
                try places.tell(outage.names)
                for number in number - 1...number { try await station.submit(user: 5 + number % 4, id: number) }
                try await isToldOf(outage, station, &outcome)
                if outage.stops {
                    let (code, took) = try await station.stop()
                    if code != 0 || took > .seconds(5) { outcome.failures.append("\(outage.name): exit status \(code) after \(took)") }
                    process = try await start(station, in: places)
                }
                try places.tell(.answering)
                for command in outage.internetAfter { try await places.internet(command) }
                for command in outage.stationAfter { try await places.station(process, command) }
                if try await !settlesByItself(station, &outcome) { outcome.failures.append("\(outage.name): delivery does not resume") }
                outcome.met(outage.name)
            }
            try await station.end(SIGTERM)
        }
        try trusting.configure(trusting: trusting.authority)
        _ = try await start(station, in: places)
        try await concludes(trusting, acknowledged: number, &outcome)
    }

    private func start(_ station: TestStation, in places: Namespaces) async throws -> Process {
        let process = try await station.start(through: places.launcher())
        guard try await Self.soon({ FileManager.default.fileExists(atPath: places.folder + "/internet.pid") }) else {
            throw StationError("the imitated internet does not start")
        }
        return process
    }

    private func isToldOf(_ outage: Outage, _ station: TestStation, _ outcome: inout Outcome) async throws {
        let isTold = try await Self.soon {
            let report = try await station.report()
            return report.gateCause == "offline" && report.gateReason?.contains(outage.words) == true
        }
        let report = try await station.report()
        if !isTold { outcome.failures.append("\(outage.name): the gate says ‘\(report.gateReason ?? report.gate)’") }
        let sentence = try await station.status().sentence
        if !sentence.contains("wait for the network: ") { outcome.failures.append("\(outage.name): the status says ‘\(sentence)’") }
        if report.queue.dead + report.queue.held > 0 { outcome.failures.append("\(outage.name): \(report.queue)") }
    }
}
