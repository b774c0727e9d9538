import ControlAPI
import Testing

@testable import homing

@Suite struct TitleCommandTests {
    private func expanded(_ line: String, _ lists: RosterList?) async -> String {
        await TitleCommand.expanded(line.split(separator: " ").map(String.init)) { lists }.joined(separator: " ")
    }

    @Test(arguments: [
        ("people", "roster people"), ("person --refresh", "roster person --refresh"), ("People --help", "roster People --help"),
        ("managed_users --find anna", "roster managed_users --find anna"), ("dance", "dance"), ("status", "status"), ("help", "help"),
        ("--json people", "--json people"), ("", ""),
        ("people add --first-name Anna", "roster people add --set first_name=Anna"),
        ("help people", "help roster people"), ("help people add", "help roster people add"), ("help dance", "help dance"),
        ("help status people", "help status people"),
    ])
    func nameOfAListIsACommand(line: String, expanded: String) async {
        #expect(await self.expanded(line, RosterList(rosters: [Sample.roster()])) == expanded)
    }

    @Test func commandsWinOverLists() async {
        var report = Sample.roster()
        report.title = RosterTitle(one: "list", many: "events")
        for command in ["list", "events", "roster"] {
            #expect(await expanded(command, RosterList(rosters: [report])) == command)
        }
    }

    @Test func withoutADaemonNothingChanges() async {
        #expect(await expanded("people", nil) == "people")
    }

    private static let refusal = Problem(.notPermitted, status: 403, title: "Not permitted", detail: "This requires membership.")

    private func lists(
        _ answer: Result<RosterList, Problem>, _ status: Result<Status, Problem> = .failure(refusal)
    ) async -> (lists: RosterList?, problem: Problem?) {
        await TitleCommand.lists({ () throws(Problem) in try answer.get() }, orOf: { () throws(Problem) in try status.get() })
    }

    /// The command then fails with the daemon's explanation, and not as an unknown one.
    @Test func observerLearnsFromStatusWhichListsThereAre() async {
        var backend = Sample.backend()
        backend.rosters = [Sample.people]
        let known = await lists(.failure(Self.refusal), .success(Sample.status(backends: [backend])))
        #expect(known.lists?.named("people").map(\.resource) == ["managed_users"] && known.problem == nil)
        #expect(await expanded("people", known.lists) == "roster people")
        #expect(await expanded("dance", known.lists) == "dance")
    }

    @Test func reasonIsKeptWhileListsAreUnknown() async {
        let signedOut = await lists(.failure(Self.refusal), .success(Sample.status(backends: [Sample.backend()])))
        #expect(signedOut.lists == nil && signedOut.problem == Self.refusal)
        let stranger = await lists(.failure(Self.refusal))
        #expect(stranger.lists == nil && stranger.problem == Self.refusal)
        let down = Problem(.daemonNotRunning, status: 503, title: "t", detail: "d")
        let alone = await lists(.failure(down), .success(Sample.status(backends: [])))
        #expect(alone.lists == nil && alone.problem == down)
        let other = await lists(.failure(Problem(.busy, status: 503, title: "t", detail: "d")))
        #expect(other.lists == nil && other.problem == nil)
        #expect(await lists(.success(RosterList(rosters: []))).lists?.rosters == [])
    }

    @Test func asksTheDaemonOnlyAboutUnknownWords() async {
        for line in [["status"], ["--help"], ["help", "list"], ["help", "help"], ["help", "--json"], ["---completion", "list"], []] {
            let same = await TitleCommand.expanded(line) {
                Issue.record("\(line) asked the daemon")
                return nil
            }
            #expect(same == line)
        }
    }

    @Test func listIsFoundByPluralThenSingularThenResource() throws {
        var other = Sample.roster(backend: "lists")
        (other.title, other.resource) = (RosterTitle(one: "people", many: "crowds"), "people")
        let list = RosterList(rosters: [other, Sample.roster()])
        #expect(try list.roster(named: "people").backend == "breathesafe")
        #expect(try list.roster(named: "crowds").backend == "lists")
    }

    @Test func wrongNameListsTheChoices() {
        let several = RosterList(rosters: [Sample.roster(backend: "one"), Sample.roster(backend: "two")])
        let ambiguous = #expect(throws: Problem.self) { try several.roster(named: "people") }
        #expect(ambiguous?.detail == "There is more than one list ‘people’: at one and two." && ambiguous?.code == .invalidRequest)
        let unknown = #expect(throws: Problem.self) { try several.roster(named: "persons") }
        #expect(unknown?.detail == "There is no list ‘persons’; there are: people." && unknown?.code == .notFound)
        let none = #expect(throws: Problem.self) { try RosterList(rosters: []).roster(named: "people") }
        #expect(none?.detail == "There is no list ‘people’; there are none.")
    }
}
