import ControlAPI
import ControlServer
import Delivery
import Foundation
import Glibc
import Outbox
import SyncModel
import TestSupport
import Testing

@testable import SyncDaemon

/// `homing status` lists every entry that needs a person, and `homing why` says what to do. `ExitCodesTests` checks the exit code of each notice.
@Suite struct NeedsPersonTests {
    private static let now = Date(timeIntervalSince1970: 1_765_000_000)
    private static let administrator = Caller(Peer(pid: 7, uid: geteuid(), groups: []), .administer)

    /// The command of the first way out; nil if the entry goes by itself.
    private static func command(_ reason: HoldReason) -> String? {
        switch reason {
        case .forbidden, .dependency, .crashes, .operator: "homing retry"
        case .unknownOutcome: "homing resolve"
        case .unreadable: "homing discard"
        case .profile: "systemctl reload homingd"
        case .discarding: nil
        }
    }

    /// Accepts an entry in a lane of its own, and ends its first send so. The daemon does not run.
    private func end(_ number: Int, _ settlement: Settlement, _ outbox: Outbox) async throws {
        _ = try await outbox.enqueue(Samples.mutation(number, lane: "users/\(number)"), at: Self.now)
        let entry = try #require(try await outbox.claim([Samples.destination: 1], at: Self.now).entries.first)
        #expect(entry.id == Samples.id(number))
        _ = try await outbox.settle([Settled(entry, settlement, attempt: nil)], thenClaim: [:], at: Self.now)
    }

    private func why(_ number: Int, _ daemon: Daemon) async throws -> Explanation {
        try await daemon.handler.why(EntryReference(id: Samples.id(number).description), by: Self.administrator)
    }

    @Test func everyEntryOnHoldIsListedWithItsWayOut() async throws {
        try await DaemonStation.with { station in
            let daemon = try await station.daemon()
            let reasons = HoldReason.allCases.filter { $0 != .discarding }
            for (number, reason) in reasons.enumerated() {
                try await end(number, .held(reason, Failure(.refused, "It was refused.")), daemon.outbox)
            }
            // Of another kind, so that its kind would show.
            var discarded = Samples.mutation(99, lane: "fit_tests/5")
            discarded.route = "fit_test"
            _ = try await daemon.outbox.enqueue(discarded, at: Self.now)
            let later = Self.now.addingTimeInterval(600)
            try await daemon.outbox.discard(discarded.id, later: later, reason: nil, by: "a test", named: nil, at: Self.now)

            let status = try await daemon.handler.status()
            #expect(status.attention.map(\.code) == ["held"])
            #expect(status.attention.first?.text == "\(reasons.count) captures for breathesafe are on hold and need your decision.")
            #expect(status.sentence == "\(reasons.count) captures have failed or are on hold, and need your decision.")
            for (number, reason) in reasons.enumerated() {
                let why = try await why(number, daemon)
                let command = try #require(Self.command(reason))
                #expect(why.needsPerson && why.next?.contains(command) == true, "\(reason): \(why)")
            }
            #expect(try await !why(99, daemon).needsPerson)
        }
    }

    @Test func everyFailedEntryIsListedWithItsWayOut() async throws {
        try await DaemonStation.with { station in
            let daemon = try await station.daemon()
            let reasons = Failure.Reason.allCases
            for (number, reason) in reasons.enumerated() { try await end(number, .dead(Failure(reason, "It failed.")), daemon.outbox) }
            let status = try await daemon.handler.status()
            #expect(status.attention.map(\.code) == ["dead"])
            #expect(status.attention.first?.text.hasPrefix("\(reasons.count) captures for breathesafe were refused") == true)
            for (number, reason) in reasons.enumerated() {
                let why = try await why(number, daemon)
                #expect(why.needsPerson && why.next?.contains("homing retry") == true, "\(reason): \(why)")
            }
        }
    }

    /// The server does not know the person any more. Homing tries again, but only a person can correct the entry.
    @Test func entryThatAloneIsRefusedIsListedAtOnce() async throws {
        try await DaemonStation.with { station in
            var configuration = station.configuration
            (configuration.delivery.breaker.first, configuration.delivery.breaker.ceiling) = (600, 600)
            let daemon = try await Daemon(configuration: configuration, environment: [:], log: .silent)
            try await DaemonStation.running(daemon) {
                _ = try await station.client.call(Endpoints.signIn, DaemonStation.manager)
                let id = try await station.client.call(
                    Endpoints.submit, Submission(route: "measurement", fields: ["user_id": "99999"], payload: try station.capture())
                ).id
                try await station.event { $0.kind == "released" && $0.entry == id && $0.detail["status"] == "404" }
                for seesPeople in [true, false] {
                    let status = try await daemon.handler.status(for: ObserverView(seesPeople: seesPeople))
                    let notice = try #require(status.attention.first, "\(status)")
                    #expect(status.attention.count == 1 && notice.code == "route-failing")
                    #expect(notice.text.contains("BreatheSafe has no user 99999.") == seesPeople, "\(notice.text)")
                    #expect(notice.text.contains("breathesafe answered with status 404.") != seesPeople, "\(notice.text)")
                    #expect(notice.next == "To see the next step, run: homing why \(EntryName.short(id))")
                }
                let why = try await daemon.handler.why(EntryReference(id: id), by: Self.administrator)
                #expect(why.needsPerson && why.next?.contains("homing fix \(id) --user USER") == true, "\(why)")
            }
        }
    }
}
