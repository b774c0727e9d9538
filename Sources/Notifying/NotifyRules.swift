import ControlAPI
import Foundation
import SyncModel

/// Decides what to show, from events, states of the station and times. Pure: has no clock and shows nothing.
///
/// Problems that need a person come from `attention` of the status. Messages have counts and names of backends, but no words of a server.
package struct NotifyRules: Sendable {
    let settings: NotifySettings
    let timeZone: TimeZone
    /// The cursor of the newest event seen.
    package private(set) var cursor: Int64 = 0

    /// How long a new problem waits for others, so that one message covers them all.
    package static let gathering: TimeInterval = 10

    /// In seconds. A problem that comes and goes is reported at most once in this time, except an entry.
    package static let shortestRepeat: TimeInterval = 3600

    /// How long the daemon may be silent, as when it is restarted or upgraded.
    package static let longestSilence: TimeInterval = 300

    /// The topics of messages, besides deliveries after an outage.
    fileprivate enum Topic: String, CaseIterable, Codable { case needsPerson, signIn, disk, noDelivery }

    fileprivate struct Need: Hashable, Codable {
        var code: String
        var backend: String?

        init(code: String, backend: String?) { (self.code, self.backend) = (code, backend) }

        init(_ item: Attention) { self.init(code: item.code, backend: item.backend) }

        /// Each entry counts; other problems may come and go.
        var isEntry: Bool { [Attention.Code.dead, .held, .lookUpFailing].contains { $0.rawValue == code } }
    }

    private var status: Status?
    /// The number of entries or files with each problem; 1 for other problems.
    private var needs: [Topic: [Need: Int]] = [:]
    /// Needs not reported yet.
    private var news: [Topic: Set<Need>] = [:]
    /// When needs were last reported, except entries, and ends of outages; forgotten after `shortestRepeat`.
    private var told: [Need: Date] = [:]
    /// When a message about the topic is due.
    private var due: [Topic: Date] = [:]
    private var isHeldBack = false
    /// When the daemon stopped answering; nil while it answers.
    private var silentSince: Date?
    private var isSilenceReported = false
    /// The deliveries since the outage of each backend that had one.
    private var outages: [String: Int] = [:]

    /// - Parameter memory: of an earlier run; nil to report everything that exists now.
    package init(settings: NotifySettings, timeZone: TimeZone, memory: Memory? = nil) {
        self.settings = settings
        self.timeZone = timeZone
        (needs, told) = (memory?.reported ?? [:], memory?.told ?? [:])
    }

    /// The problems that were reported and still exist or may return soon, so that another run does not report them again.
    package struct Memory: Codable, Equatable, Sendable {
        fileprivate var reported: [Topic: [Need: Int]]
        fileprivate var told: [Need: Date]
    }

    package var memory: Memory {
        let reported = needs.map { topic, needs in (topic, needs.filter { news[topic]?.contains($0.key) != true }) }
        return Memory(reported: Dictionary(reported.filter { !$0.1.isEmpty }) { first, _ in first }, told: told)
    }

    /// When the next message is due, if nothing happens until then.
    package func nextDue(after now: Date) -> Date? { due.values.filter { $0 > now }.min() }

    package mutating func saw(_ event: Event) {
        cursor = event.cursor
        guard let backend = event.backend else { return }
        switch event.kind {
        case "gateChanged":
            if event.detail["gate"] == "cooling" { beganCooling(backend, event.detail["reason"]) }
        case "delivered":
            if let delivered = outages[backend] { outages[backend] = delivered + 1 }
        default: break
        }
    }

    /// Returns the messages that are due at `now`.
    package mutating func saw(_ status: Status, at now: Date) -> [NotifyMessage] {
        if self.status == nil { cursor = status.cursor }
        self.status = status
        (silentSince, isSilenceReported) = (nil, false)
        for report in status.backends where report.knownGate == .cooling { beganCooling(report.name, report.gateCause) }
        return messages(at: now)
    }

    /// The messages to show if the daemon did not answer.
    package mutating func sawNoAnswer(at now: Date) -> [NotifyMessage] {
        let since = silentSince ?? now
        silentSince = since
        guard settings.needsPerson, !isSilenceReported, since.hasAged(Self.longestSilence, at: now), !isQuiet(now) else { return [] }
        isSilenceReported = true
        return [
            NotifyMessage(title: "Homing does not answer", body: "It may accept no captures. To see why, run: homing status")
        ]
    }

    /// The messages to show at a time without an event.
    package mutating func messages(at now: Date) -> [NotifyMessage] {
        guard let status else { return [] }
        for topic in Topic.allCases where isEnabled(topic) {
            let grown = take(topic == .noDelivery ? undelivered(status, at: now) : problems(topic, status), of: topic, at: now)
            guard !grown.isEmpty else { continue }
            news[topic, default: []].formUnion(grown)
            if due[topic] == nil { due[topic] = now + Self.gathering }
        }
        let topics = Topic.allCases.filter { due[$0]?.hasCome(at: now, longest: Self.gathering) ?? false }
        guard !isQuiet(now) else {
            isHeldBack = isHeldBack || !topics.isEmpty
            return []
        }
        for topic in topics { due[topic] = nil }
        // Not for a need that has gone by itself, even if an earlier one of its topic stands.
        let needed = topics.filter { topic in news[topic]?.contains { needs[topic]?[$0] != nil } == true }.map { message($0, status) }
        for topic in topics { noteReport(of: topic, at: now) }
        defer { isHeldBack = false }
        return (isHeldBack ? Self.summary(needed) : needed) + [ended(status, at: now)].compactMap(\.self)
    }

    /// Returns the needs that are new or have grown. One that returns too early is taken once its time has come, if it still exists then.
    private mutating func take(_ found: [Need: Int], of topic: Topic, at now: Date) -> Set<Need> {
        let known = needs[topic] ?? [:]
        let grown = Set(found.filter { $1 > known[$0, default: 0] }.keys)
        let early = grown.filter { isEarly($0, at: now) }
        var taken = found
        for need in early { taken[need] = known[need] }
        needs[topic] = taken
        return grown.subtracting(early)
    }

    /// True if a report of this would repeat one too soon.
    private func isEarly(_ need: Need, at now: Date) -> Bool {
        guard let last = told[need] else { return false }
        return !last.hasAged(Self.shortestRepeat, at: now)
    }

    private mutating func noteReport(of topic: Topic, at now: Date) {
        told = told.filter { isEarly($0.key, at: now) }
        for need in news[topic] ?? [] where !need.isEntry && needs[topic]?[need] != nil { told[need] = now }
        news[topic] = nil
    }

    private func isQuiet(_ now: Date) -> Bool { settings.quietHours?.contain(now, in: timeZone) ?? false }

    private func isEnabled(_ topic: Topic) -> Bool {
        switch topic {
        case .needsPerson: settings.needsPerson
        case .signIn: settings.signIn
        case .disk: settings.disk
        case .noDelivery: settings.noDeliveryHours > 0
        }
    }

    // MARK: What needs a person

    private static func topic(of code: Attention.Code) -> Topic {
        switch code {
        case .signInRequired, .sessionFailing: .signIn
        case .diskFull, .diskLow, .outboxFull: .disk
        default: .needsPerson
        }
    }

    private func problems(_ topic: Topic, _ status: Status) -> [Need: Int] {
        let items = status.attention.filter { Self.topic(of: $0.knownCode) == topic }
        let counts = items.map { item in
            (Need(item), max(1, Self.count(item, status) ?? 1))
        }
        return Dictionary(counts) { $0 + $1 }
    }

    /// The number of entries or files that the item is about.
    private static func count(_ item: Attention, _ status: Status) -> Int? {
        let queue = status.backends.first { $0.name == item.backend }?.queue
        return switch item.knownCode {
        case .dead: queue?.dead
        case .held: queue?.held
        case .lookUpFailing: queue?.unseen
        case .refusedFiles: status.spool?.refused
        case .stuckFiles: status.spool?.stuck
        case .unclaimedFiles: status.spool?.unclaimed
        default: nil
        }
    }

    /// The backends at which entries have waited for so long without a delivery. Excludes paused ones.
    private func undelivered(_ status: Status, at now: Date) -> [Need: Int] {
        let longest = Double(settings.noDeliveryHours) * 3600
        let late = status.backends.filter { report in
            guard report.queue.waiting > 0, report.pause == nil, let oldest = report.oldestWaiting else { return false }
            return now.timeIntervalSince(max(oldest, report.lastDelivered?.unlessAhead(of: now) ?? oldest)) >= longest
        }
        return Dictionary(late.map { (Need(code: "", backend: $0.name), 1) }) { first, _ in first }
    }

    // MARK: Deliveries after an outage

    /// In place of a code, which none is.
    private static let outage = "ended outage"

    /// Counts only reasons for which the backend itself did not answer.
    private mutating func beganCooling(_ backend: String, _ reason: String?) {
        if ["offline", "tls", "intercepted"].contains(reason), outages[backend] == nil { outages[backend] = 0 }
    }

    /// The end of outages after which the signed-in account has nothing left to send. Forgets them, and those that would repeat a report too soon.
    private mutating func ended(_ status: Status, at now: Date) -> NotifyMessage? {
        // The status knows of deliveries whose events have not arrived: they would be missing in the count.
        guard status.cursor <= cursor else { return nil }
        let ended = status.backends.filter { outages[$0.name] != nil && $0.isDone && $0.knownGate == .open }.map(\.name)
        let over = ended.filter { !isEarly(Need(code: Self.outage, backend: $0), at: now) }
        let delivered = over.compactMap { outages[$0] }.reduce(0, +)
        for backend in ended { outages[backend] = nil }
        guard delivered > 0, settings.deliveredAfterOutage else { return nil }
        for backend in over { told[Need(code: Self.outage, backend: backend)] = now }
        return NotifyMessage(
            title: "Delivered after an outage",
            body:
                "\(over.inWords) can be reached again. \(Words.entries(delivered).capitalisedFirst) \(delivered == 1 ? "was" : "were") delivered."
        )
    }

    // MARK: Words

    private func message(_ topic: Topic, _ status: Status) -> NotifyMessage {
        let backends = Set(needs[topic]?.keys.compactMap(\.backend) ?? []).sorted().inWords
        switch topic {
        case .needsPerson: return need(status)
        case .signIn where needs[.signIn]?.keys.contains { $0.code == Attention.Code.signInRequired.rawValue } != true:
            return NotifyMessage(
                title: "The sign-in cannot be renewed",
                body: "Homing keeps trying at \(backends). To see the next step, run: homing status")
        case .signIn:
            let command = status.backends.count > 1 ? "homing status" : "homing login"
            return NotifyMessage(title: "Sign-in required", body: "Sign in at \(backends) so that Homing can send. Run: \(command)")
        case .disk:
            // These texts have neither names nor server messages.
            let items = status.attention.filter { Self.topic(of: $0.knownCode) == .disk }
            let isOnlyLow = items.allSatisfy { $0.knownCode == .diskLow }
            return NotifyMessage(
                title: isOnlyLow ? "The disk is nearly full" : "Homing accepts no new captures",
                body: items.flatMap { [$0.text, $0.next] }.joined(separator: "\n"))
        case .noDelivery:
            let hours = Words.count(settings.noDeliveryHours, "hour", "hours")
            return NotifyMessage(
                title: "No deliveries",
                body: "Nothing was delivered to \(backends) for \(hours), and entries are waiting. Run: homing status")
        }
    }

    private func need(_ status: Status) -> NotifyMessage {
        let new = news[.needsPerson] ?? []
        let ofEntries = status.attention.filter {
            [.dead, .held].contains($0.knownCode) && new.contains(Need($0))
        }
        let count = ofEntries.compactMap { needs[.needsPerson]?[Need($0)] }.reduce(0, +)
        let title = count == 0 ? "The station needs a person" : "\(Words.entries(count)) \(count == 1 ? "needs" : "need") your decision"
        // Only these texts can have names, and they have no server messages.
        let named = settings.names ? ofEntries.map(\.text) : []
        return NotifyMessage(title: title, body: (named + ["To see the next step, run: homing status"]).joined(separator: " "))
    }

    /// One message for all that was held back in the quiet hours.
    private static func summary(_ messages: [NotifyMessage]) -> [NotifyMessage] {
        guard messages.count > 1 else { return messages }
        return [
            NotifyMessage(
                title: "The station needs a person", body: messages.map { "\($0.title)." }.joined(separator: " ") + " Run: homing status")
        ]
    }
}

extension BackendReport {
    /// No entry could be sent now.
    fileprivate var isDone: Bool {
        let others = otherAccounts.map(\.waiting).reduce(0, +) + (waitingForFormerAddress ?? 0)
        return queue.waiting - others - queue.blocked <= 0
    }
}
