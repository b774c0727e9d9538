import ControlAPI
import ControlServer
import Foundation
import Outbox
import SyncModel
import TestSupport
import Testing

@testable import SyncDaemon

/// Observers see no email addresses, no names of people and no server messages. See WhatObserversSee.
@Suite struct ObserverViewTests {
    private static let observer = Peer(pid: 7, uid: 54_321, groups: [54])
    private static let administrator = Peer(pid: 8, uid: geteuid(), groups: [])

    private func everything(_ station: ControlHandler, _ id: String, by caller: Caller) async throws -> [String: String] {
        func text(_ value: some Encodable) -> String { String(decoding: JSONCoding.encoded(value), as: UTF8.self) }
        let reference = EntryReference(id: id)
        var events: [Event] = []
        for await batch in try await station.events(EventQuery(since: 0, follow: false), by: caller) { events += batch }
        return [
            "status": text(try await station.status(NoInput(), by: caller)),
            "doctor": text(try await station.doctor(NoInput(), by: caller)),
            "sessions": text(try await station.sessions(NoInput(), by: caller)),
            "entries": text(try await station.entries(EntryQuery(), by: caller)),
            "entry": text(try await station.entry(reference, by: caller)),
            "why": text(try await station.why(reference, by: caller)),
            "receipts": text(try await station.receipts(ReceiptQuery(), by: caller)),
            "stats": text(try await station.stats(StatsQuery(), by: caller)),
            "audit": text(try await station.audit(AuditQuery(), by: caller)),
            "lanes": text(try await station.lanes(LaneQuery(), by: caller)),
            "events": text(events),
        ]
    }

    @Test func hidesEmailAddressesAndServerMessagesFromObservers() async throws {
        try await DaemonStation.with { station in
            var configuration = station.configuration
            configuration.access.observe = .init(name: "watchers", id: 54)
            let daemon = try await Daemon(configuration: configuration, environment: [:], log: .silent)
            try await DaemonStation.running(daemon) {
                _ = try await station.client.call(Endpoints.signIn, DaemonStation.manager)
                try await station.event { $0.kind == "rosterChanged" }
                let first = try await station.submit().id
                try await station.delivered(first)
                // This user belongs to another manager, so the server refuses the entry.
                let refused = try await station.client.call(
                    Endpoints.submit, Submission(route: "measurement", fields: ["user_id": "2"], payload: try station.capture())
                ).id
                try await station.event { $0.kind == "dead" && $0.entry == refused }

                func caller(_ peer: Peer) throws -> Caller { Caller(peer, try #require(daemon.policy.access(of: peer))) }
                let (observer, administrator) = (try caller(Self.observer), try caller(Self.administrator))
                let (names, words, person) = ("manager@lab.test", "Not managed", "Edit Me")
                let told = try await everything(daemon.handler, refused, by: administrator)
                for call in ["status", "sessions", "receipts", "stats", "audit", "events"] {
                    #expect(told[call]?.contains(names) == true, "\(call)")
                }
                for call in ["entries", "entry", "why", "events"] { #expect(told[call]?.contains(words) == true, "\(call)") }
                for call in ["entries", "receipts", "events"] { #expect(told[call]?.contains(person) == true, "\(call)") }
                for name in [refused, EntryName.short(refused), "2"] {
                    for (call, text) in try await everything(daemon.handler, name, by: observer) {
                        #expect(!text.contains(names), "\(call) \(name): \(text)")
                        #expect(!text.contains(words), "\(call) \(name): \(text)")
                        #expect(!text.contains(person), "\(call) \(name): \(text)")
                    }
                }
                // The beginning of all ids of some weeks. Observers may list numbers and ids, so an error may have them.
                let part = String(refused.prefix(4))
                let ambiguous = await #expect(throws: OutboxError.self) {
                    try await daemon.handler.why(EntryReference(id: part), by: observer)
                }
                let candidates = "#2 \(EntryName.short(refused)), #1 \(EntryName.short(first))"
                #expect(ambiguous?.problem.detail == "Several entries have an id that begins or ends with ‘\(part)’: \(candidates).")
            }
        }
    }

    private func shown(_ kind: SyncEvent.Kind, _ detail: [String: String]) -> [String: String] {
        ObserverView(seesPeople: false).event(SyncEvent(at: Date(timeIntervalSince1970: 0), kind, detail: detail)).detail
    }

    @Test(arguments: SyncEvent.Kind.allCases.filter { $0 != .reloaded }) func hidesUnlistedFactsOfEvents(kind: SyncEvent.Kind) {
        #expect(shown(kind, ["email": "ann@lab.test", "as": "ann@lab.test", "message": "b answered: 17.25", "other": "17.25"]).isEmpty)
    }

    @Test func showsListedFactsOfEvents() {
        let capture = ["lane": "users/5", "replaces": "0190a1b2-c3d4-7e5f-8a9b-3f2a91c04b01", "route": "measurement"]
        #expect(shown(.captured, capture.merging(["file": "anna.json"]) { $1 }) == capture)
        #expect(shown(.gateChanged, ["gate": "cooling", "reason": "offline"]) == ["gate": "cooling", "reason": "offline"])
        #expect(shown(.signInFailed, ["by": "uid 1, pid 2", "reason": "ann@lab.test is signed in"]) == ["by": "uid 1, pid 2"])
        let discard = ["by": "uid 1, pid 2", "from": "dead", "reason": "discarding", "until": "2026-01-15T09:30:12Z"]
        #expect(shown(.held, discard.merging(["note": "Anna asked for it"]) { $1 }) == discard)
        #expect(shown(.discarded, ["by": "ann", "from": "held", "note": "Anna asked for it"]) == ["by": "ann", "from": "held"])
        #expect(shown(.signOutGivenUp, ["cause": "day", "email": "ann@lab.test"]) == ["cause": "day"])
        #expect(shown(.exported, ["by": "uid 1, pid 2"]) == ["by": "uid 1, pid 2"])
        #expect(shown(.reloaded, ["max_bytes": "1 → 2"]) == ["max_bytes": "1 → 2"])
    }

    @Test func keepsMessagesOfTheDaemon() {
        let view = ObserverView(seesPeople: false)
        let offline = Failure(.offline, "The backend does not answer.")
        #expect(view.failure(offline, at: "b") == offline)
        #expect(view.words("It was sent.", status: nil, at: "b") == "It was sent.")
        #expect(view.words("b answered: 17.25", status: 422, at: "b") == "b answered with status 422.")
        #expect(ObserverView(seesPeople: true).words("b answered: 17.25", status: 422, at: "b") == "b answered: 17.25")
    }
}
