import ControlAPI
import Foundation
import Sandbox
import StationSupport
import TestSupport

/// The daemon's connection to a sandbox, plain or TLS. With TLS one proxy cuts outside of it, and another one inside alters responses.
struct LyingWay: Sendable {
    private let outer: LyingProxy?
    private let front: TLSFront?
    private let inner: LyingProxy
    let baseURL: String

    /// - Parameter identity: the TLS server's, for `localhost`; nil for plain HTTP.
    init(to station: TestStation, showing identity: Authority.Identity?, seed: UInt64) async throws {
        inner = try LyingProxy(target: .loopback(station.port), seed: seed)
        if let identity {
            let front = try await TLSFront(target: inner.port, showing: identity)
            let outer = try LyingProxy(target: .loopback(front.port), seed: ~seed)
            (self.front, self.outer) = (front, outer)
            baseURL = "https://localhost:\(outer.port)"
        } else {
            (front, outer) = (nil, nil)
            baseURL = "http://127.0.0.1:\(inner.port)"
        }
    }

    /// Gives each new connection one of these faults, or none unless `always`, and closes open connections.
    ///
    /// - Parameter openly: adds `Connection: close` to every response.
    func tell(_ lies: [Lie], always: Bool = false, openly: Bool = false) {
        func told(_ lies: [Lie]) -> [Lie] { always && !lies.isEmpty ? lies : lies + [.none] }
        guard let outer else { return inner.tell(told(lies), openly: openly) }
        let (cuts, words) = (lies.filter(Lie.cuts.contains), lies.filter { !Lie.cuts.contains($0) })
        // A connection cut outside of TLS meets no fault inside.
        outer.tell(words.isEmpty ? told(cuts) : cuts + [.none])
        inner.tell(told(words), openly: openly)
    }

    var met: [Lie: Int] {
        var met = inner.met.merging(outer?.met ?? [:], uniquingKeysWith: +)
        met[Lie.none] = nil
        return met
    }

    func close() async throws {
        outer?.close()
        try await front?.close()
        inner.close()
    }
}

struct LyingStation: Sendable {
    let station: TestStation
    let way: LyingWay

    init(
        _ backend: SandboxBackend = .breatheSafe(.severalUsers), profile: String = "breathesafe", route: String = "measurement",
        overTLS: Bool, seed: UInt64, edits: [(String, String)] = [], delivery: String = NetworkCampaign.hasty,
        timeouts: String = NetworkCampaign.impatient
    ) async throws {
        station = try await TestStation(backend, profile: profile, route: route)
        let authority = overTLS ? try await Authority("the campaign's", in: station.directory("authority")) : nil
        way = try await LyingWay(to: station, showing: try await authority?.issue("good", for: ["localhost"]), seed: seed)
        try TestStation.place(profile, in: station.directory, baseURL: way.baseURL, edits: edits)
        try TestStation.configure(
            station.directory, delivery: delivery, route: route, timeouts: timeouts, caFile: authority?.certificate)
        try await station.start()
    }

    init(
        _ backend: FarBackend, overTLS: Bool, seed: UInt64, edits: [(String, String)], timeouts: String = NetworkCampaign.impatient
    ) async throws {
        try await self.init(
            backend.sandbox, profile: backend.name, route: backend.route, overTLS: overTLS, seed: seed, edits: edits, timeouts: timeouts)
    }

    func stop() async throws {
        try await station.end(SIGTERM)
        try await way.close()
        await station.sandbox.stop()
    }
}

extension TestStation {
    var port: UInt16 { UInt16(URL(string: sandbox.baseURL)?.port ?? 0) }

    func report() async throws -> BackendReport {
        guard let report = try await status().backends.first else { throw StationError("no backend is configured") }
        return report
    }
}
