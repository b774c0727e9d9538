import ControlAPI
import Foundation
import Notifying
import Testing

@testable import homing

@Suite struct NotifyRulesTests {
    private static let zone = TimeZone(secondsFromGMT: 3600) ?? .gmt

    /// At 14:15; tests move it.
    private final class Station {
        var rules: NotifyRules
        var now = Sample.now

        init(_ change: (inout NotifySettings) -> Void = { _ in }) {
            var settings = NotifySettings()
            change(&settings)
            rules = NotifyRules(settings: settings, timeZone: NotifyRulesTests.zone)
        }

        /// The messages at once, and those of the following seconds.
        func titles(_ status: Status, after seconds: TimeInterval = 0) -> [String] {
            now += seconds
            let first = rules.saw(status, at: now)
            now += NotifyRules.gathering
            return (first + rules.messages(at: now)).map(\.title)
        }

        func body(_ status: Status) -> String? {
            _ = rules.saw(status, at: now)
            return rules.messages(at: now + NotifyRules.gathering).first?.body
        }
    }

    private static func attention(_ code: String, _ text: String = "A text with Anna Example.") -> Attention {
        Attention(code: code, text: text, next: "See it.", backend: "breathesafe")
    }

    private static func failed(_ count: Int) -> Status {
        Sample.status(
            attention: count == 0 ? [] : [attention("dead")], backends: [Sample.backend(queue: .init(dead: count, delivered: 9))])
    }

    private static func waiting(_ count: Int, gate: String = "open", cause: String? = nil, cursor: Int64 = 7) -> Status {
        var report = Sample.backend(gate: gate, queue: .init(pending: count), oldest: count > 0 ? Sample.now : nil)
        report.gateCause = cause
        return Sample.status(backends: [report], cursor: cursor)
    }

    // MARK: What needs a person

    @Test func oneMessageCoversTheEntriesOfTenSeconds() {
        let station = Station()
        #expect(station.rules.saw(Self.failed(1), at: station.now).isEmpty)
        #expect(station.rules.saw(Self.failed(3), at: station.now + 9).isEmpty)
        let messages = station.rules.messages(at: station.now + 10)
        #expect(
            messages == [
                NotifyMessage(title: "3 entries need your decision", body: "To see the next step, run: homing status")
            ])
        #expect(station.rules.messages(at: station.now + 3600).isEmpty)
    }

    @Test func furtherEntryIsReported() {
        let station = Station()
        #expect(station.titles(Self.failed(1)) == ["1 entry needs your decision"])
        #expect(station.titles(Self.failed(1), after: 60) == [])
        #expect(station.titles(Self.failed(2), after: 60) == ["2 entries need your decision"])
        #expect(station.titles(Self.failed(1), after: 60) == [])
        #expect(station.titles(Self.failed(2), after: 60) == ["2 entries need your decision"])
    }

    /// Problems that come and go: a session, the disk, files, a network.
    private static let flapping = ["sign-in-required", "session-failing", "disk-full", "refused-files", "network-sign-in"]

    private static func problem(_ code: String, exists: Bool) -> Status { Sample.status(attention: exists ? [attention(code)] : []) }

    @Test(arguments: flapping) func problemThatComesAndGoesIsReportedOnceAnHour(code: String) {
        let station = Station()
        #expect(station.titles(Self.problem(code, exists: true)).count == 1)
        for _ in 1...5 {
            #expect(station.titles(Self.problem(code, exists: false), after: 300) == [])
            #expect(station.titles(Self.problem(code, exists: true), after: 200) == [])
        }
        #expect(station.titles(Self.problem(code, exists: false), after: 3600) == [])
        #expect(station.titles(Self.problem(code, exists: true), after: 10).count == 1)
    }

    @Test(arguments: flapping) func problemThatReturnsAndStaysIsReportedAfterTheHour(code: String) {
        let station = Station()
        #expect(station.titles(Self.problem(code, exists: true)).count == 1)
        #expect(station.titles(Self.problem(code, exists: false), after: 300) == [])
        #expect(station.titles(Self.problem(code, exists: true), after: 300) == [])
        #expect(station.titles(Self.problem(code, exists: true), after: 2900) == [])
        #expect(station.titles(Self.problem(code, exists: true), after: 200).count == 1)
        #expect(station.titles(Self.problem(code, exists: true), after: 7200) == [])
    }

    @Test func furtherFilesAreReportedOnceAnHour() {
        func refused(_ count: Int) -> Status {
            var status = Self.problem("refused-files", exists: true)
            status.spool = SpoolReport(directory: "/spool", waiting: 0, refused: count)
            return status
        }
        let station = Station()
        #expect(station.titles(refused(1)).count == 1)
        #expect((2...9).flatMap { station.titles(refused($0), after: 60) } == [])
        #expect(station.titles(refused(9), after: 3600).count == 1)
    }

    @Test func anotherProblemIsReportedAtOnce() {
        let station = Station()
        #expect(station.titles(Self.problem("disk-full", exists: true)).count == 1)
        #expect(station.titles(Self.problem("session-failing", exists: true), after: 60) == ["The sign-in cannot be renewed"])
        #expect(station.titles(Self.problem("sign-in-required", exists: true), after: 60) == ["Sign-in required"])
    }

    @Test func entryThatFailsAgainIsReportedAtOnce() {
        let station = Station()
        for _ in 1...3 {
            #expect(station.titles(Self.failed(1), after: 60) == ["1 entry needs your decision"])
            #expect(station.titles(Self.failed(0), after: 60) == [])
        }
    }

    @Test(arguments: [-86_400.0, -1800]) func clockThatIsSetBackDelaysARepeatByAnHourAtMost(step: TimeInterval) {
        let station = Station()
        #expect(station.titles(Self.problem("disk-full", exists: true)).count == 1)
        #expect(station.titles(Self.problem("disk-full", exists: false), after: step) == [])
        let titles = (0...5).flatMap { _ in station.titles(Self.problem("disk-full", exists: true), after: 1200) }
        #expect(titles.count == 1)
    }

    @Test func anotherRunRemembersWhenAProblemWasReported() throws {
        let station = Station()
        #expect(station.titles(Self.problem("disk-full", exists: true)).count == 1)
        #expect(station.titles(Self.problem("disk-full", exists: false), after: 60) == [])
        let next = try Self.restarted(station)
        #expect(next.titles(Self.problem("disk-full", exists: true)) == [])
        #expect(next.titles(Self.problem("disk-full", exists: true), after: 3700).count == 1)
    }

    @Test func anotherRunDoesNotRepeatWhatItsMemoryHas() throws {
        let station = Station()
        #expect(station.titles(Self.failed(1)) == ["1 entry needs your decision"])
        let next = try Self.restarted(station)
        #expect(next.titles(Self.failed(1)) == [])
        #expect(next.titles(Self.failed(2), after: 60) == ["2 entries need your decision"])
    }

    @Test func memoryLeavesOutProblemsThatWereNotReported() throws {
        let station = Station()
        #expect(station.rules.saw(Self.failed(1), at: station.now).isEmpty)
        #expect(station.rules.nextDue(after: station.now) == station.now + NotifyRules.gathering)
        #expect(try Self.restarted(station).titles(Self.failed(1)) == ["1 entry needs your decision"])
    }

    private static func restarted(_ station: Station) throws -> Station {
        let stored = try JSONEncoder().encode(station.rules.memory)
        let memory = try JSONDecoder().decode(NotifyRules.Memory.self, from: stored)
        let next = Station()
        next.rules = NotifyRules(settings: NotifySettings(), timeZone: zone, memory: memory)
        return next
    }

    @Test func anotherProblemIsNotReportedAsAnEarlierOne() {
        let station = Station()
        var status = Self.failed(2)
        #expect(station.titles(status) == ["2 entries need your decision"])
        status.attention.append(Self.attention("network-sign-in"))
        #expect(station.titles(status, after: 60) == ["The station needs a person"])
        status.attention.append(Self.attention("look-up-failing"))
        status.backends[0].queue.unseen = 1
        #expect(station.titles(status, after: 60) == ["The station needs a person"])
        status.backends[0].queue.unseen = 2
        #expect(station.titles(status, after: 60) == ["The station needs a person"])
        #expect(station.titles(status, after: 60) == [])
    }

    @Test func fullDiskIsReportedAfterTheWarning() {
        let station = Station()
        var status = Self.failed(0)
        status.attention = [Self.attention("disk-low")]
        #expect(station.titles(status) == ["The disk is nearly full"])
        #expect(station.titles(status, after: 60) == [])
        status.attention = [Self.attention("disk-full")]
        #expect(station.titles(status, after: 60) == ["Homing accepts no new captures"])
    }

    /// A command ends its line.
    @Test func eachSentenceOfSeveralProblemsHasItsLine() {
        let full = Attention(code: "outbox-full", text: "It is full.", next: "Then run: systemctl reload homingd")
        let low = Attention(code: "disk-low", text: "The disk too.", next: "Make room.")
        let body = Station().body(Sample.status(attention: [full, low], backends: []))
        #expect(body == "It is full.\nThen run: systemctl reload homingd\nThe disk too.\nMake room.")
    }

    @Test func clockThatIsSetBackDoesNotSilenceAMessage() {
        let station = Station()
        #expect(station.rules.saw(Self.failed(1), at: station.now).isEmpty)
        #expect(station.titles(Self.failed(1), after: -3600) == ["1 entry needs your decision"])
    }

    @Test func problemThatEndsAtOnceIsNotReported() {
        let station = Station()
        #expect(station.rules.saw(Self.failed(1), at: station.now).isEmpty)
        #expect(station.titles(Self.failed(0), after: 5) == [])
    }

    @Test(arguments: [
        ("held", "2 entries need your decision"), ("refused-files", "The station needs a person"),
        ("a-code-of-a-newer-daemon", "The station needs a person"), ("sign-in-required", "Sign-in required"),
        ("session-failing", "The sign-in cannot be renewed"), ("disk-full", "Homing accepts no new captures"),
        ("disk-low", "The disk is nearly full"),
        ("outbox-full", "Homing accepts no new captures"),
    ]) func eachProblemHasItsMessage(code: String, title: String) {
        let status = Sample.status(attention: [Self.attention(code)], backends: [Sample.backend(queue: .init(held: 2))])
        #expect(Station().titles(status) == [title])
        let off = Station { ($0.needsPerson, $0.signIn, $0.disk) = (false, false, false) }
        #expect(off.titles(status) == [])
    }

    @Test func namesAppearOnlyIfChosen() {
        #expect(Station().body(Self.failed(1)) == "To see the next step, run: homing status")
        #expect(
            Station { $0.names = true }.body(Self.failed(1)) == "A text with Anna Example. To see the next step, run: homing status")
    }

    @Test(arguments: [
        "dead", "held", "look-up-failing", "route-failing", "misconfigured", "sign-in-required", "session-failing", "other-account",
        "refused-files", "list-failing",
    ]) func noMessageRepeatsTheServer(code: String) throws {
        let status = Sample.status(
            attention: [Self.attention(code, "The server said: SECRET")], backends: [Sample.backend(queue: .init(held: 1, dead: 1))])
        let body = try #require(Station().body(status))
        #expect(!body.contains("SECRET"))
    }

    @Test func daemonThatDoesNotAnswerIsReportedOnce() {
        let station = Station()
        var messages = (0...400).flatMap { station.rules.sawNoAnswer(at: station.now + Double($0)) }
        #expect(messages.map(\.title) == ["Homing does not answer"])
        #expect(station.titles(Self.failed(0), after: 400) == [])
        messages = [0, 299, 300].flatMap { station.rules.sawNoAnswer(at: station.now + $0) }
        #expect(messages.count == 1)
        let sleeper = Station { $0.quietHours = QuietHours("14:00-15:00") }
        #expect([0, 300].allSatisfy { sleeper.rules.sawNoAnswer(at: sleeper.now + $0).isEmpty })
        #expect(sleeper.rules.sawNoAnswer(at: sleeper.now + 3600).count == 1)
    }

    // MARK: Deliveries

    @Test func deliveriesAfterAnOutageAreReportedOnce() {
        let station = Station()
        #expect(station.titles(Self.waiting(3)) == [])
        station.rules.saw(Sample.event(8, "gateChanged", detail: ["gate": "cooling", "reason": "offline"]))
        #expect(station.titles(Self.waiting(3, gate: "cooling", cause: "offline", cursor: 8)) == [])
        station.rules.saw(Sample.event(9, "gateChanged", detail: ["gate": "open"]))
        for cursor in 10...11 { station.rules.saw(Sample.event(Int64(cursor))) }
        #expect(station.titles(Self.waiting(1, cursor: 11)) == [])
        // The event of the last delivery has not arrived.
        #expect(station.titles(Self.waiting(0, cursor: 12)) == [])
        station.rules.saw(Sample.event(12))
        let messages = station.rules.saw(Self.waiting(0, cursor: 12), at: station.now)
        #expect(
            messages == [
                NotifyMessage(
                    title: "Delivered after an outage", body: "breathesafe can be reached again. 3 entries were delivered.")
            ])
        station.rules.saw(Sample.event(13))
        #expect(station.titles(Self.waiting(0, cursor: 13)) == [])
    }

    @Test func connectionThatComesAndGoesIsReportedOnceAnHour() {
        let station = Station()
        var cursor: Int64 = 7
        func outage(after seconds: TimeInterval) -> [String] {
            cursor += 1
            let before = station.titles(Self.waiting(1, gate: "cooling", cause: "offline", cursor: cursor - 1), after: seconds)
            station.rules.saw(Sample.event(cursor))
            return before + station.titles(Self.waiting(0, cursor: cursor))
        }
        #expect(outage(after: 0) == ["Delivered after an outage"])
        #expect((1...5).flatMap { _ in outage(after: 300) } == [])
        #expect(outage(after: 3600) == ["Delivered after an outage"])
    }

    /// - Parameters:
    ///   - reason: why the gate is not open.
    ///   - deliveries: after that.
    @Test(arguments: [("offline", 0), ("throttled", 1), ("serverError", 1), ("signInRequired", 1)])
    func deliveriesWithoutAnOutageAreNotReported(reason: String, deliveries: Int) {
        let station = Station()
        #expect(station.titles(Self.waiting(1, gate: "cooling", cause: reason)) == [])
        for cursor in 0..<deliveries { station.rules.saw(Sample.event(8 + Int64(cursor))) }
        #expect(station.titles(Self.waiting(0)) == [])
    }

    @Test func outageEndsAlthoughEntriesWaitThatCannotBeSent() {
        let station = Station()
        #expect(station.titles(Self.waiting(3, gate: "cooling", cause: "offline")) == [])
        station.rules.saw(Sample.event(8))
        var status = Self.waiting(3, cursor: 8)
        status.backends[0].queue.blocked = 1
        status.backends[0].otherAccounts = [WaitingAccount(account: "2", email: "other@lab.test", waiting: 1)]
        #expect(station.titles(status) == [])
        status.backends[0].waitingForFormerAddress = 1
        #expect(station.titles(status) == ["Delivered after an outage"])
    }

    @Test func outageThatEndsInTheQuietHoursIsReportedAtTheirEnd() {
        let station = Station { $0.quietHours = QuietHours("22:00-07:00") }
        Self.quiet(station)
        #expect(station.titles(Self.waiting(1, gate: "cooling", cause: "offline")) == [])
        station.rules.saw(Sample.event(8))
        #expect(station.titles(Self.waiting(0, cursor: 8)) == [])
        #expect(station.titles(Self.waiting(0, cursor: 8), after: 8 * 3600) == ["Delivered after an outage"])
    }

    @Test func deliveriesAfterAnOutageCanBeTurnedOff() {
        let station = Station { $0.deliveredAfterOutage = false }
        #expect(station.titles(Self.waiting(1, gate: "cooling", cause: "offline")) == [])
        station.rules.saw(Sample.event(8))
        #expect(station.titles(Self.waiting(0, cursor: 8)) == [])
    }

    @Test func longTimeWithoutADeliveryIsReportedOnce() {
        let station = Station()
        #expect(station.titles(Self.waiting(1)) == [])
        #expect(station.titles(Self.waiting(1), after: 23 * 3600) == [])
        #expect(station.titles(Self.waiting(1), after: 3600) == ["No deliveries"])
        #expect(station.titles(Self.waiting(1), after: 24 * 3600) == [])
    }

    @Test func noDeliveryIsNotReportedWhileNothingWaitsOrSendingIsPausedOrTurnedOff() {
        var paused = Self.waiting(1)
        paused.backends[0].pause = PauseReport(backend: "breathesafe", reason: "backup", since: Sample.now, until: nil, by: "anna")
        var delivering = Self.waiting(1)
        delivering.backends[0].lastDelivered = Sample.now + 90_000
        for status in [Self.waiting(0), paused, delivering] { #expect(Station().titles(status, after: 100_000) == []) }
        #expect(Station { $0.noDeliveryHours = 0 }.titles(Self.waiting(1), after: 100_000) == [])
    }

    // MARK: Quiet hours

    private static func quiet(_ station: Station) { station.now += 10 * 3600 }

    @Test func problemOfTheQuietHoursIsReportedAtTheirEnd() {
        let station = Station { $0.quietHours = QuietHours("22:00-07:00") }
        Self.quiet(station)  // 00:15
        #expect(station.titles(Self.failed(2)) == [])
        #expect(station.titles(Self.failed(2), after: 6 * 3600) == [])  // 06:15
        #expect(station.titles(Self.failed(2), after: 3600) == ["2 entries need your decision"])
        #expect(station.titles(Self.failed(2), after: 3600) == [])
    }

    @Test func severalProblemsOfTheQuietHoursAreOneSummary() {
        let station = Station { $0.quietHours = QuietHours("22:00-07:00") }
        var status = Self.failed(2)
        status.attention.append(Self.attention("disk-full"))
        Self.quiet(station)
        #expect(station.titles(status) == [])
        station.now += 8 * 3600
        let messages = station.rules.messages(at: station.now)
        #expect(
            messages == [
                NotifyMessage(
                    title: "The station needs a person",
                    body: "2 entries need your decision. Homing accepts no new captures. Run: homing status")
            ])
    }

    @Test func problemThatEndsInTheQuietHoursIsNotReported() {
        let station = Station { $0.quietHours = QuietHours("22:00-07:00") }
        Self.quiet(station)
        #expect(station.titles(Self.failed(2)) == [])
        #expect(station.titles(Self.failed(0), after: 3600) == [])
        #expect(station.titles(Self.failed(0), after: 8 * 3600) == [])
    }

    @Test(arguments: [
        ("22:00-07:00", false), ("13:00-15:00", true), ("14:15-15:00", true), ("13:00-14:15", false),
        ("14:16-14:15", false), ("20:00-14:16", true),
    ]) func quietHoursContainTheirTimes(text: String, isQuiet: Bool) throws {
        #expect(try #require(QuietHours(text)).contain(Sample.now, in: Self.zone) == isQuiet)
    }
}
