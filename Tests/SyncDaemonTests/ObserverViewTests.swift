import ControlAPI
import ControlServer
import Foundation
import Logging
import SyncModel
import TestSupport
import Testing

@testable import SyncDaemon

/// Observers see no e-mail addresses and no server messages. See WhatObserversSee.
@Suite(.timeLimit(.minutes(60))) struct ObserverViewTests {
    private static let observer = Peer(pid: 7, uid: 54_321, groups: [54])
    private static let administrator = Peer(pid: 8, uid: geteuid(), groups: [])

    private func everything(_ station: ControlHandler, _ id: String, by peer: Peer) async throws -> [String: String] {
        func text(_ value: some Encodable) -> String { String(decoding: JSONCoding.encoded(value), as: UTF8.self) }
        let reference = EntryReference(id: id)
        var events: [Event] = []
        for await batch in try await station.events(EventQuery(since: 0, follow: false), by: peer) { events += batch }
        return [
            "status": text(try await station.status(NoInput(), by: peer)),
            "sessions": text(try await station.sessions(NoInput(), by: peer)),
            "entries": text(try await station.entries(EntryQuery(), by: peer)),
            "entry": text(try await station.entry(reference, by: peer)),
            "why": text(try await station.why(reference, by: peer)),
            "receipts": text(try await station.receipts(ReceiptQuery(), by: peer)),
            "lanes": text(try await station.lanes(LaneQuery(), by: peer)),
            "events": text(events),
        ]
    }

    @Test func hidesEmailAddressesAndServerMessagesFromObservers() async throws {
        try await DaemonStation.with { station in
            var configuration = station.configuration
            configuration.access.observe = .init(name: "watchers", id: 54)
            let daemon = try await Daemon(
                configuration: configuration, environment: [:], log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    do { try await daemon.run() } catch is CancellationError {}  // the test cancels the daemon
                }
                _ = try await station.client.call(Endpoints.signIn, DaemonStation.manager)
                let first = try await station.submit().id
                try await station.delivered(first)
                // This user belongs to another manager, so the server refuses the entry.
                let refused = try await station.client.call(
                    Endpoints.submit, Submission(route: "measurement", fields: ["user_id": "2"], payload: try station.capture())
                ).id
                try await station.event { $0.kind == "dead" && $0.entry == refused }

                let (names, words) = ("manager@lab.test", "Not managed")
                let told = try await everything(daemon.station, refused, by: Self.administrator)
                for call in ["status", "sessions", "receipts", "events"] { #expect(told[call]?.contains(names) == true, "\(call)") }
                for call in ["entries", "entry", "why", "events"] { #expect(told[call]?.contains(words) == true, "\(call)") }
                for name in [refused, EntryName.short(refused), "2"] {
                    for (call, text) in try await everything(daemon.station, name, by: Self.observer) {
                        #expect(!text.contains(names), "\(call) \(name): \(text)")
                        #expect(!text.contains(words), "\(call) \(name): \(text)")
                    }
                }
                // The beginning of all ids of some weeks. Observers may list numbers and ids, so an error may have them.
                let part = String(refused.prefix(4))
                let ambiguous = await #expect(throws: Problem.self) {
                    try await daemon.station.why(EntryReference(id: part), by: Self.observer)
                }
                let candidates = "#2 \(EntryName.short(refused)), #1 \(EntryName.short(first))"
                #expect(ambiguous?.detail == "Several entries have an id that begins or ends with ‘\(part)’: \(candidates).")
                group.cancelAll()
                try await group.waitForAll()
            }
        }
    }

    @Test func keepsMessagesOfTheDaemon() {
        let view = View(seesPeople: false)
        let offline = Failure(.offline, "The backend does not answer.")
        #expect(view.failure(offline, at: "b") == offline)
        #expect(view.words("It was sent.", status: nil, at: "b") == "It was sent.")
        #expect(view.words("b answered: 17.25", status: 422, at: "b") == "b answered with status 422.")
        #expect(View(seesPeople: true).words("b answered: 17.25", status: 422, at: "b") == "b answered: 17.25")
    }
}
