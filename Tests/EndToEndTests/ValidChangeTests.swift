import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

@Suite struct ValidChangeTests {
    /// The changes are tried in parts, which run at the same time.
    static let parts = 0..<3

    @Test(arguments: [true, false], parts) func profileChangesNeitherLoseNorMisdirectEntries(byReload: Bool, part: Int) async throws {
        try await tryAll(ValidChange.ofProfile, in: "backends/breathesafe.yaml", byReload: byReload, part: part)
    }

    @Test(arguments: [true, false], parts) func configurationChangesNeitherLoseNorMisdirectEntries(byReload: Bool, part: Int) async throws {
        try await tryAll(ValidChange.ofConfiguration, in: "homing.yaml", byReload: byReload, part: part)
    }

    @Test func everyKeyOfTheProfileIsTried() throws {
        let page = TestStation.project + "/Sources/SyncDaemon/Documentation.docc/ProfileReference.md"
        let text = try String(contentsOfFile: page, encoding: .utf8)
        var keys: Set<String> = []
        var table = ""
        for line in text.split(separator: "\n") {
            if let heading = line.wholeMatch(of: /## `(.+)`/) { table = "\(heading.1)." }
            if let row = line.prefixMatch(of: /\| `([a-z_0-9]+)` \|/) { keys.insert("\(table)\(row.1)") }
        }
        #expect(keys.count > 100)
        check(keys, ValidChange.ofProfile, ValidChange.otherKeys)
    }

    @Test func everyKeyOfTheConfigurationIsTried() throws {
        let text = try String(contentsOfFile: TestStation.project + "/config/homing.yaml", encoding: .utf8)
        var keys: Set<String> = []
        var table = ""
        for line in text.split(separator: "\n") {
            guard let match = line.wholeMatch(of: /#?(\s*)#?([a-z_]+):( .*)?/) else { continue }
            let name = String(match.2)
            if match.1.isEmpty { table = match.3 == nil ? name : "" }
            keys.insert(match.1.isEmpty ? name : "\(table).\(name)")
        }
        #expect(keys.count > 20)
        check(keys, ValidChange.ofConfiguration, ValidChange.otherConfigurationKeys)
    }

    /// Each key, or one in its table, must be tried or excused.
    private func check(_ keys: Set<String>, _ changes: [ValidChange], _ others: [String: String]) {
        let tried = changes.map(\.key) + others.keys
        let missing = keys.filter { key in !tried.contains { $0 == key || $0.hasPrefix(key + ".") || key.hasPrefix($0 + ".") } }
        #expect(missing.isEmpty, "neither tried nor excused: \(missing.sorted())")
    }

    // MARK: -

    private func tryAll(_ changes: [ValidChange], in name: String, byReload: Bool, part: Int) async throws {
        let world = try await World()
        try await world.station.start()
        try await world.signIn()
        for (index, change) in changes.enumerated() where index % Self.parts.count == part {
            try await world.tryOut(change, in: name, byReload: byReload, numbers: (3 * index + 1)...(3 * index + 3))
        }
        #expect(world.other.ledger.requests.isEmpty, "the other server was asked something")
        #expect(world.station.sandbox.ledger.duplicates.isEmpty)
        #expect(world.station.sandbox.ledger.entries.allSatisfy { $0.account == 1 })
        try await world.station.end(SIGTERM)
        await world.other.stop()
    }

    private struct World {
        let station: TestStation
        let other: Sandbox

        init() async throws {
            station = try await TestStation()
            other = try Sandbox(SandboxConfiguration { $0.backend = .breatheSafe(.severalUsers) })
            try await other.start()
            try put(ValidChange.profile, "backends/breathesafe.yaml")
            try put(ValidChange.configuration, "homing.yaml")
        }

        /// Profiles also go to the folder of the changed `backends` key.
        func put(_ text: String, _ name: String) throws {
            let text = text.replacing("BASE", with: station.sandbox.baseURL).replacing("OTHER", with: other.baseURL)
            try station.directory.write(text, to: name)
            try FileManager.default.createDirectory(atPath: station.directory("copies"), withIntermediateDirectories: true)
            if name.hasPrefix("backends/") { try station.directory.write(text, to: name.replacing("backends/", with: "copies/")) }
        }

        func signIn() async throws {
            if try await station.status().backends.first?.session.state != "signedIn" { try await station.login() }
        }

        func tryOut(_ change: ValidChange, in name: String, byReload: Bool, numbers: ClosedRange<Int>) async throws {
            let original = name == "homing.yaml" ? ValidChange.configuration : ValidChange.profile
            #expect(original.contains(change.old), "\(change.key): the original does not hold \(change.old)")
            await station.sandbox.down()
            for number in numbers { try await station.submit(user: 5 + number % 3, id: number) }
            try await apply(original.replacing(change.old, with: change.new, maxReplacements: 1), name, change, byReload)
            try await station.sandbox.up()
            try await station.sync()
            switch change.outcome {
            case .arrive: try await waitUntilDelivered(numbers, change)
            case .stay: try await requestSyncs(change)
            }
            let states = try await states(numbers)
            #expect(!states.contains("dead"), "\(change.key): \(change.new): \(states)")
            if change.outcome == .stay {
                #expect(!states.contains("delivered"), "\(change.key): \(change.new): \(states)")
                try await apply(original, name, change, byReload)
                try await signIn()
                try await station.sync()
                try await waitUntilDelivered(numbers, change)
            } else {
                try await apply(original, name, change, byReload)
            }
            try await signIn()
            for number in numbers {
                let effects = station.sandbox.ledger.entries(clientMutationID: Samples.id(number).description)
                #expect(effects.map(\.account) == [1] && effects.map(\.user) == [5 + number % 3], "\(change.key): \(change.new)")
            }
        }

        /// A renamed profile replaces the old file.
        private func apply(_ text: String, _ name: String, _ change: ValidChange, _ byReload: Bool) async throws {
            if !byReload { try await station.end(SIGTERM) }
            let isRenamed = change.key == "name" && text.contains("name: other")
            for file in ["backends/breathesafe.yaml", "backends/other.yaml"] where change.key == "name" {
                try? FileManager.default.removeItem(atPath: station.directory(file))  // `try?`: only one of the two exists
            }
            try put(text, isRenamed ? "backends/other.yaml" : name)
            // Dropped files have no field but the user's id.
            let needsNoSpool =
                text != ValidChange.profile && (["name", "routes"].contains(change.key) || change.new.contains("{item.room}"))
            let spool = "spool: {enabled: true, backend: breathesafe, route: measurement}"
            if name != "homing.yaml" {
                try put(
                    needsNoSpool ? ValidChange.configuration.replacing(spool, with: "spool: {enabled: false}") : ValidChange.configuration,
                    "homing.yaml")
            }
            if text != ValidChange.profile, text != ValidChange.configuration { try await check(change) }
            if byReload {
                let cursor = try await station.status().cursor
                try station.reload()
                while try await station.event("reloaded", since: cursor) == nil {}
            } else {
                try await station.start()
            }
        }

        /// Runs `homingd check`.
        private func check(_ change: ValidChange) async throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: TestStation.programs + "/homingd")
            process.arguments = ["check", "--config", station.directory("homing.yaml")]
            let checked = try await process.ended()
            guard checked.code == 0 else { throw StationError("\(change.key): \(change.new): \(checked.text)") }
        }

        private func states(_ numbers: ClosedRange<Int>) async throws -> [String] {
            var states: [String] = []
            for number in numbers { states.append(try await station.entry(number).state) }
            return states
        }

        private func waitUntilDelivered(_ numbers: ClosedRange<Int>, _ change: ValidChange) async throws {
            let cursor = try await station.status().cursor
            if try await areSettled(numbers, change) { return }
            try await station.client.events(EventQuery(since: cursor, follow: true)) { event in
                guard event.entry != nil else { return true }
                return try await !areSettled(numbers, change)
            }
        }

        /// True if all are delivered, or if one needs a person, which is an issue.
        private func areSettled(_ numbers: ClosedRange<Int>, _ change: ValidChange) async throws -> Bool {
            let states = try await states(numbers)
            if states.contains("dead") || states.contains("held") {
                Issue.record("\(change.key): \(change.new): \(states)")
                return true
            }
            return states.allSatisfy { $0 == "delivered" }
        }

        /// Asks for a sync three times, without effect.
        private func requestSyncs(_ change: ValidChange) async throws {
            for _ in 1...3 {
                try await station.sync()
                _ = try await station.status()
            }
        }
    }
}
