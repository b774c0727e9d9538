import ControlAPI
import Foundation
import Sandbox
import StationSupport

/// The daemon's way to a sandbox, in plain or over TLS, with liars on it: one that only cuts, outside of TLS, and one that speaks, within.
struct LyingWay: Sendable {
    private let outer: LyingProxy?
    private let front: TLSFront?
    private let inner: LyingProxy
    /// Where the daemon finds the backend.
    let baseURL: String

    /// - Parameter identity: of the TLS server, for `localhost`; nil for no TLS.
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

    /// From now on each connection meets one of these, or none; those that are open are reset.
    func tell(_ lies: [Lie]) {
        guard let outer else { return inner.tell(lies + [.none]) }
        outer.tell(lies.filter(Lie.cuts.contains) + [.none])
        inner.tell(lies.filter { !Lie.cuts.contains($0) } + [.none])
    }

    /// How often each lie was told.
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

extension TestStation {
    /// Of its sandbox.
    var port: UInt16 { UInt16(URL(string: sandbox.baseURL)?.port ?? 0) }

    /// The only backend's report.
    func report() async throws -> BackendReport {
        guard let report = try await status().backends.first else { throw StationError("no backend is configured") }
        return report
    }
}
