import ControlAPI
import Foundation
import JSON
import Sandbox
import StationSupport
import SyncModel
import TestSupport

/// Recognizable passwords, tokens and payloads, with faults of every kind. None may appear in logs, command lines, environments, events, reports, or
/// the daemon's files.
struct SecrecyCampaign: RoundCampaign {
    static let name = "secrecy"
    static let kinds = FarBackend.all.count

    func round(seed: UInt64, _ outcome: inout Outcome) async throws {
        var dice = SplitMix64(seed: seed)
        let life = try await Life(FarBackend.all[Int(seed % UInt64(Self.kinds))], seed: seed)
        try await life.start()
        try await life.signIn(&dice)
        try await life.backend.register(life.station)
        let before = outcome.acknowledged
        let arrived = life.station.sandbox.ledger.entries.count
        for number in 1...3 {
            try await life.signIn(&dice)
            for fault in Self.faults.shuffled(using: &dice).prefix(Int.random(in: 1...3, using: &dice)) {
                await life.station.sandbox.apply(fault)
                for _ in 0..<Int.random(in: 1...3, using: &dice) { if try await life.handIn() { outcome.acknowledged += 1 } }
                _ = try await life.station.client.call(Endpoints.sync, SyncRequest())
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...60, using: &dice)))
            }
            if number == 3, !(try await life.goesUp(besides: arrived)) {
                outcome.failures.append("\(life.name): the faults are over, but nothing is delivered: \(try await life.reasons())")
            }
            outcome.failures += try await life.leaks("in life \(number)")
            if Bool.random(using: &dice) {
                let (isDone, problems) = try await life.signOut(keepingData: Bool.random(using: &dice))
                outcome.counted(isDone ? "sign-outs" : "sign-outs that failed")
                outcome.failures += problems
                outcome.failures += try await life.leaks("after the sign-out in life \(number)", showsPeople: !isDone)
            }
            let signal = Bool.random(using: &dice) ? SIGKILL : SIGTERM
            try await life.station.end(signal)
            if signal == SIGKILL { outcome.met("kills") } else { outcome.counted("stops") }
            outcome.failures += try await life.leaks("after the end of life \(number)", isRunning: false)
            outcome.failures += try await life.guessed()
            if number < 3 { try await life.start() }
        }
        let ledger = life.station.sandbox.ledger
        for (fault, requests) in Dictionary(grouping: ledger.requests.compactMap(\.fault), by: \.self) {
            outcome.met(fault, requests.count)
        }
        if outcome.acknowledged == before { outcome.failures.append("\(life.name): nothing was acknowledged, so nothing was tested") }
        await life.station.sandbox.stop()
    }

    func control(seed: UInt64, _ outcome: inout Outcome) async throws {
        var dice = SplitMix64(seed: seed)
        let life = try await Life(.breatheSafe, seed: seed)
        try await life.start()
        try await life.signIn(&dice)
        _ = try await life.handIn()
        let missed = try await Canary.missed(by: life.station, life.log)
        outcome.controlled(without: "secrecy: a secret planted in each kind of place", failedAsItShould: missed.isEmpty)
        outcome.controlled(without: "secrecy: a keyed digest", failedAsItShould: life.wouldBeGuessed)
        let showsPeople = try await Self.soon { try await life.showsPeople }
        outcome.controlled(without: "secrecy: a sign-out, which hides the people", failedAsItShould: showsPeople)
        outcome.controlled(without: "secrecy: the deletion of a list", failedAsItShould: try SealedLists(life.station).isLeft)
        try await life.station.end(SIGTERM)
        await life.station.sandbox.stop()
    }

    /// Each once: responses of a backend after it received a secret.
    private static let faults: [Fault] = [
        Fault(.internalError, count: 1), Fault(.internalErrorAfterCommit, count: 1), Fault(.commitThenCut, count: 1), Fault(.cut, count: 1),
        Fault(.unauthorized, count: 1), Fault(.loginPage, count: 1), Fault(.redirect, count: 1), Fault(.truncated, count: 1),
        Fault(.dribble, count: 1), .error(422, count: 1), .error(403, count: 1), .tooManyRequests(retryAfter: 1, count: 1),
        Fault(.expireSessions),
    ]

    private struct Life {
        let station: TestStation
        let log: String
        let backend: FarBackend
        var name: String { backend.name }
        private let secrets = CanarySecrets()
        private let documents = Counter()
        private let mark: String
        /// Of each of the people at BreatheSafe, also as lists fold it.
        private static let names: Set = ["Canaryanna", "canaryanna"]

        private static func sandbox(_ backend: FarBackend) -> SandboxBackend {
            guard backend.name == "breathesafe" else { return backend.sandbox }
            let people = (5...9).map { user in
                BreatheSafeConfiguration.ManagedUser(
                    user: user, profile: ["first_name": "Canaryanna", "last_name": .string("Example \(user)")])
            }
            return .breatheSafe(BreatheSafeConfiguration { $0.managedUsers = people })
        }

        init(_ backend: FarBackend, seed: UInt64) async throws {
            self.backend = backend
            mark = "Canary-document-\(seed)"
            station = try await TestStation(
                Self.sandbox(backend), profile: backend.name, route: backend.route, edits: backend.edits, answering: secrets.watch)
            try TestStation.place(
                backend.name, in: station.directory, baseURL: station.sandbox.baseURL, edits: backend.edits, rosters: true)
            log = station.directory("homingd.log")
            secrets.note([mark, BreatheSafeConfiguration.labPassword] + (backend.refreshToken.map { [$0] } ?? []))
        }

        func start() async throws { try await station.start(logTo: log) }

        /// Signs in if needed, sometimes after an attempt with a wrong password.
        func signIn(_ dice: inout SplitMix64) async throws {
            guard try await station.report().session.state != "signedIn" else { return }
            if backend.refreshToken == nil, Bool.random(using: &dice) {
                let wrong = "Canary-wrong-\(dice.next())"
                secrets.note([wrong])
                // `try?`: refusal is expected.
                _ = try? await station.client.call(
                    Endpoints.signIn, SignIn(backend: backend.name, email: Canary.email, password: wrong))
            }
            try await SecrecyCampaign.patiently { try await backend.signIn(station) }
        }

        /// True if that was done, and what is left of a list that should be gone.
        func signOut(keepingData: Bool) async throws -> (isDone: Bool, problems: [String]) {
            let lists = try SealedLists(station)
            let asked = try await station.homing(["logout", "--yes"] + (keepingData ? ["--keep-data"] : []))
            guard asked.code == 0 else { return (false, asked.code == 2 ? ["\(name): \(asked.text)"] : []) }
            if keepingData { return (true, []) }
            let isGone = try await SecrecyCampaign.soon { try !lists.isLeft }
            return (true, isGone ? [] : ["\(name): the files have a list of an account that has signed out"])
        }

        func handIn() async throws -> Bool {
            documents.add()
            let number = documents.count
            let (fields, payload) = contents(number)
            let submission = ControlAPI.Submission(
                backend: backend.name, route: backend.route, id: Samples.id(number).description, fields: fields, payload: payload)
            // `try?`: fails while signed out.
            return (try? await station.client.call(Endpoints.submit, submission)) != nil
        }

        private func contents(_ number: Int) -> (fields: [String: String], payload: Data?) {
            let text = "\(mark)-\(number)"
            var fields: [String: String] = [:]
            var payload: Data?
            switch backend.name {
            case "breathesafe":
                fields = ["user_id": "\(5 + number % 4)"]
                payload = Data(#"{"timestamp":\#(number),"average_measurements":{"14-818":{"value":17.25,"description":"\#(text)"}}}"#.utf8)
            case "labloop": payload = Data(#"{"client_mutation_id":"\#(Samples.id(number))","title":"\#(text)"}"#.utf8)
            case "aiphoto": fields = ["transaction_data": text, "product_id": "credits.10"]
            case "story16": (fields, payload) = (["conversation": "c1"], Data(#"{"text":"\#(text)"}"#.utf8))
            // The name of a list may be shown, as those of people.
            default: fields = ["name": "List \(number)", "description": text]
            }
            return (fields, payload)
        }

        /// True if an entry is delivered after the faults. Otherwise the search for leaks would prove nothing.
        func goesUp(besides arrived: Int) async throws -> Bool {
            try await SecrecyCampaign.soon {
                if station.sandbox.ledger.entries.count > arrived { return true }
                // `try?`: remaining faults affect these calls too; tried again.
                try? await seeTo()
                return false
            }
        }

        /// Signs in, and retries refused entries, which block their lanes.
        private func seeTo() async throws {
            if try await station.report().session.state != "signedIn" { try await backend.signIn(station) }
            for entry in try await station.entries() where Caretaker.isNeeded(by: entry) {
                _ = try await station.client.call(
                    Endpoints.retry, RetryRequest(id: entry.id, withoutLooking: entry.retryMayDuplicate == true))
            }
            _ = try await station.client.call(Endpoints.sync, SyncRequest())
        }

        func reasons() async throws -> String {
            var reasons = ""
            for entry in try await station.entries() where entry.state == "dead" || entry.state == "held" {
                reasons += try await station.homing("why", entry.id).text
            }
            return reasons
        }

        /// What an attacker without the key learns by guessing payloads.
        func guessed() async throws -> [String] {
            let places = try await Canary.places(station, log, isRunning: false)
            return guesser.leaks(in: places).map { "\(backend.name): \($0)" }
        }

        var wouldBeGuessed: Bool { !guesser.confirmed(by: Data(LedgerEntry.digest(of: Array(contents(1).payload ?? Data())).utf8)).isEmpty }

        private var guesser: Guesser {
            var guesses: [Data] = []
            var salts = [Data(backend.name.utf8), Data(backend.route.utf8)]
            for number in 1...max(1, documents.count) {
                let (fields, payload) = contents(number)
                guesses += fields.values.map { Data($0.utf8) } + [payload].compactMap(\.self)
                let typed = fields.mapValues { backend.name == "breathesafe" ? JSONValue(argument: $0) : .string($0) }
                guesses += Guesser.sealedForms(
                    fields: String(decoding: JSONValue.object(typed).serialized, as: UTF8.self), payload: payload,
                    backend: backend.name, route: backend.route)
                salts.append(Data(Samples.id(number).description.utf8))
            }
            return Guesser(guesses, salts: salts)
        }

        /// Whether reports or events name people.
        var showsPeople: Bool {
            get async throws {
                let places = try await Canary.places(station, log, isRunning: true)
                return !Canary.leaks(in: places, of: Self.names).isEmpty
            }
        }

        /// - Parameter showsPeople: reports and events may name people.
        func leaks(_ when: String, isRunning: Bool = true, showsPeople: Bool = true) async throws -> [String] {
            let places = try await Canary.places(station, log, isRunning: isRunning)
            let missing = Canary.Kind.allCases.filter { kind in
                (isRunning || !kind.needsADaemon) && !places.contains { $0.kind == kind && !$0.content.isEmpty }
            }
            let unnamed = places.filter { !showsPeople || !$0.kind.needsADaemon }
            let leaks = Canary.leaks(in: places, of: secrets.all) + Canary.leaks(in: unnamed, of: Self.names)
            return missing.map { "\(backend.name), \(when): nothing was found to search in \($0)" }
                + leaks.map { "\(backend.name), \(when): \($0)" }
        }
    }
}
