import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

/// `homing people add` and `homing people edit`, with and without a network.
@Suite struct PeopleAddTests {
    private static let noraBerg = Arrival.digest(["first_name": "Nora", "last_name": "Berg"])

    private func entries(_ route: String, _ station: TestStation) async throws -> [EntrySummary] {
        try await station.entries().filter { $0.route == route }
    }

    /// Adds Nora Berg; returns the reference from the command that the answer suggests for measuring her.
    private func addNora(_ station: TestStation) async throws -> String {
        let told = try await station.homing("people", "add", "--first-name", "Nora", "--last-name", "Berg")
        #expect(told.code == 0 && told.text.contains("Nora Berg"), "\(told.text)")
        let match = try #require(told.text.firstMatch(of: /homing submit FILE --user (@[0-9a-f-]{4,36})/), "\(told.text)")
        return String(match.1)
    }

    /// Submits a capture of its own for `user`.
    private func submit(_ number: Int, _ user: String, _ station: TestStation) async throws -> (code: Int32, text: String) {
        try station.directory.write(String(decoding: TestStation.measurement(number), as: UTF8.self), to: "\(number).json")
        return try await station.homing("submit", station.directory("\(number).json"), "--user", user)
    }

    /// Waits until the stored list has a person of this name with a server's id.
    private func listed(_ label: String, _ station: TestStation) async throws -> String {
        try await firstValue {
            try await station.refreshedPeople()
            return try await station.people().rows.first { $0.label == label && $0.pending == nil }?.id
        }
    }

    /// They would give another person this name.
    @Test func detailsOfANewPersonGoToNobodyElse() async throws {
        let station = try await TestStation.signedInWithPeople()
        await station.sandbox.down()
        _ = try await addNora(station)
        let profile = try #require(try await entries("profile", station).first)
        let told = try await station.homing("fix", profile.id, "--user", "5")
        #expect(told.code == 1 && told.text.contains("run: homing people edit ID"), "\(told.text)")
        #expect(told.text.contains("runs: homing discard \(EntryName.short(profile.id))"), "\(told.text)")
        #expect(try await station.entries().count == 2)
        try await station.sandbox.up()
        try await station.sync()
        try await station.event("delivered", count: 2)
        let ledger = station.sandbox.ledger
        let user = try #require(ledger.created.first)
        #expect(ledger.arrivals.allSatisfy { $0.user == user })
        try await station.end(SIGTERM)
    }

    /// However often they were corrected.
    @Test func correctedDetailsOfANewPersonGoToNobodyElse() async throws {
        let station = try await TestStation.signedInWithPeople()
        await station.sandbox.down()
        _ = try await addNora(station)
        let create = try #require(try await entries("create_managed_user", station).first)
        var id = try #require(try await entries("profile", station).first).id
        for number in 1...2 {
            let corrected = ControlAPI.Submission(
                route: "profile", id: Samples.id(number).description, supersedes: id, fields: ["user_id": "@\(create.id)"],
                payload: Data(Arrival.profile(number).utf8))
            id = try await station.client.call(Endpoints.submit, corrected).id
            let told = try await station.homing("fix", id, "--user", "5")
            #expect(told.code == 1 && told.text.contains("run: homing people edit ID"), "\(told.text)")
        }
        try await station.end(SIGTERM)
    }

    @Test func addsAndMeasuresAPersonOffline() async throws {
        let station = try await TestStation.signedInWithPeople()
        await station.sandbox.down()
        let reference = try await addNora(station)
        let create = try #require(try await entries("create_managed_user", station).first)
        let profile = try #require(try await entries("profile", station).first)
        #expect(try await station.entries().count == 2)
        #expect(profile.needs == create.id && profile.subject?.id == "@\(create.id)")
        for (number, user) in [reference, "@\(create.id)", "@\(EntryName.short(create.id))"].enumerated() {
            let told = try await submit(number, user, station)
            #expect(told.code == 0 && told.text.contains("Nora Berg"), "\(user): \(told.text)")
        }
        #expect(Set(try await entries("measurement", station).map(\.subject?.id)) == ["@\(create.id)"])

        try await station.sandbox.up()
        try await station.sync()
        try await station.event("delivered", count: 5)
        let ledger = station.sandbox.ledger
        let user = try #require(ledger.created.first)
        #expect(ledger.arrivals.first?.kind == .create && ledger.arrivals.count == 5 && ledger.arrivals.allSatisfy { $0.user == user })
        #expect(ledger.entries.filter { $0.path == "/users/\(user)/profile" }.map(\.digest) == [Self.noraBerg])
        #expect(try await listed("Nora Berg", station) == "\(user)")
        let rows = try await station.people().rows
        #expect(rows.count == 4 && rows.allSatisfy { $0.pending == nil }, "\(rows)")
        #expect(try await station.homing("list").text.contains(" Nora Berg (\(user))"))
        try await station.end(SIGTERM)
    }

    @Test func addsAPersonOnline() async throws {
        let station = try await TestStation.signedInWithPeople()
        let reference = try await addNora(station)
        try await station.event("delivered", count: 2)
        let user = try #require(station.sandbox.ledger.created.first)
        // Before the list is read again.
        let atOnce = try await submit(9, "Nora Berg", station)
        #expect(atOnce.code == 0 && atOnce.text.contains(" for Nora Berg (\(user)). "), "\(atOnce.text)")
        #expect(try await listed("Nora Berg", station) == "\(user)")
        // The reference still stands for her, as do the name and the id.
        for (number, name) in [reference, "Nora Berg", "\(user)"].enumerated() {
            let told = try await submit(number, name, station)
            #expect(told.code == 0, "\(name): \(told.text)")
        }
        try await station.event("delivered", count: 6)
        #expect(station.sandbox.ledger.arrivals.filter { $0.kind == .measurement }.map(\.user) == [user, user, user, user])
        try await station.end(SIGTERM)
    }

    @Test func newPersonIsNamedEverywhereWhileItsAccountIsSignedIn() async throws {
        let station = try await TestStation.signedInWithPeople()
        await station.sandbox.down()
        _ = try await addNora(station)
        let profile = try #require(try await entries("profile", station).first)
        #expect(profile.subject?.label == "Nora Berg" && profile.subject?.isNew == true)
        let page = try await station.people()
        #expect(page.rows.map(\.label) == ["Nora Berg", "Anna Example", "Eve Lab", "Zoë Quiroga"])
        #expect(page.rows.map(\.pending) == ["new", nil, nil, nil] && page.roster.count == 3)
        #expect(page.rows.first?.id == profile.subject?.id)

        let list = try await station.homing("list")
        #expect(list.text.contains("Nora Berg (new)"), "\(list.text)")
        let people = try await station.homing("people")
        #expect(people.code == 0 && people.text.contains(/Nora Berg.*new/), "\(people.text)")
        for command in ["why", "show"] {
            let told = try await station.homing(command, profile.id)
            #expect(told.text.contains("Nora Berg"), "\(command): \(told.text)")
        }
        for command in [["list", "--json"], ["why", profile.id, "--json"], ["show", profile.id, "--json"]] {
            let told = try await station.homing(command).text
            #expect(told.contains(/"label"\s*:\s*"Nora Berg"/) && told.contains(/"isNew"\s*:\s*true/), "\(command): \(told)")
        }
        let json = try await station.homing("people", "--json").text
        #expect(json.contains(/"pending"\s*:\s*"new"/) && json.contains(/"label"\s*:\s*"Nora Berg"/), "\(json)")

        #expect(try await station.homing("logout", "--yes").code == 0)
        for command in [
            ["list"], ["list", "--json"], ["why", profile.id], ["show", profile.id], ["people"], ["events", "--since", "0"],
        ] {
            let told = try await station.homing(command).text
            #expect(!told.contains("Nora") && !told.contains("Berg"), "\(command): \(told)")
        }
        let refused = try await station.homing("people", "add", "--first-name", "Nora", "--last-name", "Berg")
        #expect(refused.code == 5 && refused.text.contains(", so this change has no account to belong to."), "\(refused.text)")
        try await station.end(SIGTERM)
    }

    @Test func wrongValueIsRefusedBeforeItIsAccepted() async throws {
        let station = try await TestStation.signedInWithPeople()
        let name = ["people", "add", "--first-name", "Nora", "--last-name", "Berg"]
        for (option, value, expected) in [
            ("--year-of-birth", "abc", "The year of birth is not valid; expected a whole number from 1900 to 2100."),
            ("--measurement-system", "metrical", "The measurement system is not valid; expected one of imperial, metric."),
        ] {
            let told = try await station.homing(name + [option, value])
            #expect(told.code == 2 && told.text.contains(expected), "\(told.text)")
        }
        let list = try await station.homing(["people", "edit", "Eve Lab", "--set", "first_name:=[\"Eve\"]"])
        #expect(list.code == 2 && list.text.contains("The first name is not valid; expected text."), "\(list.text)")
        for (route, user) in [("create_managed_user", nil), ("profile", "5")] as [(String, String?)] {
            let payload = #"{"first_name":"Nora","last_name":{"a":"Berg"}}"#
            let problem = await #expect(throws: Problem.self) { try await station.submit(route, 1, user: user, payload) }
            #expect(problem?.status == 400 && problem?.detail.contains("The last name is not valid; expected text.") == true)
        }
        #expect(try await station.entries().isEmpty)
        #expect(try await station.homing(name + ["--year-of-birth", "1980", "--measurement-system", "metric"]).code == 0)
        try await station.end(SIGTERM)
    }

    /// Two people have the name: one at the server, and one who is new.
    @Test func nameOfANewAndAnOldPersonIsAmbiguous() async throws {
        let station = try await TestStation.signedInWithPeople()
        await station.sandbox.down()
        let told = try await station.homing("people", "add", "--first-name", "Anna", "--last-name", "Example")
        #expect(told.code == 0 && told.text.contains("Warning: 1 person is already called Anna Example: Anna Example (7)."), "\(told.text)")
        let refused = try await submit(1, "Anna Example", station)
        #expect(refused.code == 2, "\(refused.text)")
        #expect(try await entries("measurement", station).isEmpty)
        let edit = try await station.homing("people", "edit", "Anna Example", "--last-name", "van Dam", "--set", "year_of_birth:=1980")
        #expect(edit.code == 2, "\(edit.text)")
        for id in ["7", "@"] {
            #expect(edit.text.contains("homing people edit \(id)"), "\(edit.text)")
        }
        #expect(edit.text.matches(of: /--last-name 'van Dam' --set 'year_of_birth:=1980'/).count == 2, "\(edit.text)")
        #expect(try await entries("profile", station).count == 1)
        try await station.end(SIGTERM)
    }

    @Test func editsAKnownAndANewPerson() async throws {
        let station = try await TestStation.signedInWithPeople()
        await station.sandbox.down()
        let known = try await station.homing("people", "edit", "Eve Lab", "--last-name", "Labor")
        #expect(known.code == 0 && known.text.contains("Eve Lab"), "\(known.text)")
        let reference = try await addNora(station)
        let new = try await station.homing("people", "edit", reference, "--last-name", "Berger", "--year-of-birth", "1990")
        #expect(new.code == 0, "\(new.text)")
        #expect(try await entries("profile", station).count == 3)
        #expect(try await station.entries().count == 4)

        try await station.sandbox.up()
        try await station.sync()
        try await station.event("delivered", count: 4)
        let ledger = station.sandbox.ledger
        let user = try #require(ledger.created.first)
        #expect(ledger.entries.filter { $0.path == "/users/5/profile" }.map(\.digest) == [Arrival.digest(["last_name": "Labor"])])
        // In the order of acceptance: the last write wins.
        let changes = ledger.entries.filter { $0.path == "/users/\(user)/profile" }.map(\.digest)
        #expect(changes.count == 2 && changes.first == Self.noraBerg)
        #expect(try await listed("Eve Labor", station) == "5")
        #expect(try await listed("Nora Berger", station) == "\(user)")
        try await station.end(SIGTERM)
    }

    @Test func unknownMembersAreRefused() async throws {
        let station = try await TestStation.signedInWithPeople()
        for options in [["--shoe-size", "44"], ["--set", "shoe_size=44"], ["--first-name"], ["--set", "first_name"]] {
            for command in [["people", "add", "--last-name", "Berg"], ["people", "edit", "Eve Lab"], ["roster", "people", "add"]] {
                let refused = try await station.homing(command + options)
                #expect(refused.code != 0, "\(command + options): \(refused.text)")
            }
        }
        let named = try await station.homing("roster", "people", "add", "--set", "shoe_size=44")
        #expect(named.text.contains("shoe_size") && named.text.contains("--first-name"), "\(named.text)")
        for (route, user) in [("create_managed_user", nil), ("profile", "5")] as [(String, String?)] {
            let payload = #"{"first_name":"Nora","frist_name":"Nora"}"#
            let problem = await #expect(throws: Problem.self) { try await station.submit(route, 1, user: user, payload) }
            let text = "\(problem?.detail ?? "") \(problem?.next ?? "")"
            #expect(text.contains("frist_name") && text.contains("last_name"), "\(text)")
        }
        #expect(try await station.entries().isEmpty && station.sandbox.ledger.entries.isEmpty)
        try await station.end(SIGTERM)
    }

    @Test func submittingTheSamePersonAgainAddsNobody() async throws {
        let station = try await TestStation.signedInWithPeople()
        await station.sandbox.down()
        let first = try await station.submit("create_managed_user", 1, Arrival.profile(1))
        let follower = try #require(first.then)
        #expect(!first.duplicate && follower != first.id)
        let again = try await station.submit("create_managed_user", 1, Arrival.profile(1))
        #expect(again.duplicate && again.then == follower)
        let other = await #expect(throws: Problem.self) { try await station.submit("create_managed_user", 1, Arrival.profile(2)) }
        #expect(other?.code == .idConflict)
        #expect(try await station.entries().map(\.id) == [first.id, follower])
        try await station.sandbox.up()
        try await station.sync()
        try await station.event("delivered", count: 2)
        #expect(try await station.submit("create_managed_user", 1, Arrival.profile(1)).duplicate)
        #expect(station.sandbox.ledger.arrivals.map(\.kind) == [.create, .profile])
        try await station.end(SIGTERM)
    }

    @Test func nothingIsAcceptedWhileSignedOut() async throws {
        let station = try await TestStation.people()
        try await station.start()
        let refused = try await station.homing("people", "add", "--first-name", "Nora", "--last-name", "Berg")
        #expect(refused.code == 5 && refused.text.contains("homing login"), "\(refused.text)")
        #expect(try await station.entries().isEmpty)
        try await station.end(SIGTERM)
    }
}
