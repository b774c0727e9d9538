import Backends
import ControlAPI
import Foundation
import Outbox
import SyncModel
import Testing

@testable import SyncDaemon

@Suite struct DiagnosisTests {
    private func findings(_ change: (inout StationFacts) -> Void = { _ in }) -> [Finding] {
        let trial = BackendTrial(backend: "b", host: "b.test", health: .well(account: nil), skew: 2)
        var facts = StationFacts(user: "anna", trials: [trial], space: Space(used: 1_200_000, limit: 2_000_000_000, free: 40_000_000_000))
        change(&facts)
        return Diagnosis(facts: facts).findings
    }

    private func finding(_ check: Finding.Check, _ change: (inout StationFacts) -> Void) throws -> Finding {
        try #require(findings(change).first { $0.knownCheck == check })
    }

    @Test func wellStationHasOnlyGoodFindings() {
        let found = findings()
        #expect(found.allSatisfy { $0.isOK && $0.remedy == nil })
        let checks: [Finding.Check] = [.role, .configuration, .proxy, .name, .connection, .answer, .clock, .space, .files, .key]
        #expect(found.map(\.knownCheck) == checks)
        #expect(found.filter { $0.backend == "b" }.count == 4)
        #expect(found.contains { $0.finding == "The store takes 1.2 MB of at most 2.0 GB, and 40.0 GB are free on the disk." })
    }

    @Test(arguments: [
        (Access.observe, "anna may only observe this station, as a member of g. Only"),
        (.operate, "anna may operate this station, as a member of g. Only"),
        (.administer, "anna may administer this station, as a member of g."),
    ])
    func roleNamesTheGroup(access: Access, text: String) throws {
        let role = Diagnosis.role(of: "anna", access, through: "g")
        #expect(role.finding.hasPrefix(text) && role.isOK)
        #expect(role.knownState == (access == .administer ? .ok : .note) && (role.remedy == nil) == (access == .administer))
        #expect(try finding(.role) { _ in }.finding == "anna may administer this station.")
    }

    private static let problems: [(check: Finding.Check, change: @Sendable (inout StationFacts) -> Void)] = [
        (.configuration, { $0.isConfigurationGood = false }),
        (.name, { $0.trials[0].name = .unknown }),
        (.name, { $0.trials[0].name = .unanswered }),
        (.connection, { $0.trials[0].refusal = Failure(.offline, "No route.") }),
        (.connection, { $0.trials[0].refusal = Failure(.tls, "A wrong certificate.") }),
        (.answer, { $0.trials[0].health = .intercepted(Failure(.intercepted, "A login page.")) }),
        (.answer, { $0.trials[0].health = .unreachable(Failure(.lostAnswer, "No answer.")) }),
        (.answer, { $0.trials[0].health = .ill(Failure(.serverError, "Broken.")) }),
        (.clock, { $0.trials[0].skew = 301 }),
        (.files, { $0.faults = ["a cannot be read."] }),
        (.key, { $0.keyFault = "The key is missing" }),
    ]

    @Test(arguments: problems.indices) func problemsHaveRemedies(row: Int) throws {
        let (check, change) = Self.problems[row]
        let finding = try finding(check, change)
        #expect(finding.knownState == .problem && finding.remedy != nil && finding.finding.hasSuffix("."))
    }

    @Test(arguments: [
        Health.well(account: AccountID("5")), .refused(Failure(.signInRequired, status: 401, "Refused.")),
        .ill(Failure(.profile, "The answer does not name the account.")),
    ])
    func answerWithoutCredentialsIsGood(health: Health) throws {
        #expect(try finding(.answer) { $0.trials[0].health = health }.finding == "b answers.")
    }

    @Test func busyServerIsAWarning() throws {
        let finding = try finding(.answer) { $0.trials[0].health = .ill(Failure(.throttled, "Wait."), retryAfter: 30) }
        #expect(finding.knownState == .warning)
    }

    @Test func backendWithoutHealthRouteHasNoAnswer() {
        #expect(!findings { $0.trials[0].health = nil }.contains { $0.knownCheck == .answer })
    }

    @Test(arguments: [
        (30.0, "ok", "agrees with that of b"), (-31.0, "warning", "31 seconds ahead of"), (3600.0, "problem", "3600 seconds behind"),
    ])
    func skewOfTheClockHasTwoLimits(skew: TimeInterval, state: String, text: String) throws {
        let finding = try finding(.clock) { $0.trials[0].skew = skew }
        #expect(finding.state == state && finding.finding.contains(text), "\(finding)")
    }

    @Test func proxyIsNamedWithoutItsPassword() throws {
        let proxy = try #require(Proxy("http://anna:hunter2@proxy.test:3128"))
        let found = findings {
            $0.proxies = ProxyRules(proxy: proxy, exceptions: ["a.test", "b.test"])
            $0.trials[0].proxy = proxy.description
            $0.trials[0].name = .unknown
        }
        let texts = found.map(\.finding)
        #expect(texts.contains("Connections with HTTPS go through the proxy proxy.test:3128, except to a.test, b.test."))
        #expect(texts.contains("DNS does not know the proxy proxy.test:3128."))
        #expect(texts.contains("Homing can connect to b.test through the proxy proxy.test:3128."))
        #expect(!texts.contains { $0.contains("hunter2") })
    }

    @Test(arguments: [
        (Failure(.offline, "The proxy p.test:3128 refused the connection to b.test."), "Check that the proxy p.test:3128 runs, and lets"),
        (Failure(.intercepted, status: 407, "The proxy p.test:3128 requires a user."), "Correct ‘proxy’ in homing.yaml, or HTTPS_PROXY"),
        (Failure(.serverError, "Broken."), "Tell the administrator of b."),
    ])
    func proxyThatRefusesIsBlamedInPlaceOfTheBackend(failure: Failure, remedy: String) throws {
        let finding = try finding(.connection) { ($0.trials[0].proxy, $0.trials[0].refusal) = ("p.test:3128", failure) }
        #expect(finding.finding == failure.message && finding.remedy?.hasPrefix(remedy) == true, "\(finding)")
        let answer = try self.finding(.answer) { ($0.trials[0].proxy, $0.trials[0].health) = ("p.test:3128", .unreachable(failure)) }
        #expect(answer.remedy?.hasPrefix(remedy) == true, "\(answer)")
    }

    @Test func unknownNameIsOneProblem() {
        let found = findings { ($0.trials[0].name, $0.trials[0].refusal) = (.unknown, Failure(.offline, "Its name is unknown.")) }
        #expect(found.filter { !$0.isOK }.map(\.knownCheck) == [.name])
    }

    @Test func missingConfigurationIsNamed() throws {
        let defaults = try finding(.configuration) { $0.missingConfiguration = "/etc/homing/homing.yaml" }
        #expect(defaults.isOK && defaults.finding.hasPrefix("There is no /etc/homing/homing.yaml, so the defaults apply."))
        let needed = try finding(.configuration) { ($0.missingConfiguration, $0.needsConfiguration) = ("/etc/homing/homing.yaml", true) }
        #expect(needed.knownState == .problem && needed.remedy?.contains("--force-confmiss") == true)
    }

    @Test func trialThatWasCutSaysNothingAboutTheName() {
        let found = findings { ($0.trials[0].isCut, $0.trials[0].refusal) = (true, Failure(.offline, "b.test did not answer.")) }
        #expect(found.filter { !$0.isOK }.map(\.knownCheck) == [.connection] && !found.contains { $0.knownCheck == .name })
    }

    @Test func clockWithoutATimeServiceHasAnotherRemedy() throws {
        let finding = try finding(.clock) { ($0.trials[0].skew, $0.hasTimeService) = (400, false) }
        #expect(finding.remedy == "Set the clock, or install chrony or systemd-timesyncd.")
    }

    @Test func faultOfTheDropFolderNamesItsRepair() throws {
        let finding = try finding(.files) { ($0.faults, $0.repair) = (["Members of g cannot drop files."], "Repair it.") }
        #expect(finding.remedy == "Repair it.")
    }
}
