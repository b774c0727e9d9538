import ControlAPI
import Foundation

/// The status as one line and a state, as the Monitoring Plugins Development Guidelines specify.
struct StationCheck {
    let times: TimeText
    let limits: Limits

    struct Limits: Equatable {
        /// Seconds for which the oldest entry may wait.
        var warningAge: TimeInterval = 3600
        var criticalAge: TimeInterval = 86_400
        /// Waiting entries; nil for any number.
        var warningWaiting: Int?
        var criticalWaiting: Int?
    }

    /// The raw value is the exit code.
    enum State: Int32 {
        case ok, warning, critical, unknown
    }

    struct Outcome: Equatable {
        let state: State
        let text: String
        /// Nil without an answer of the daemon.
        var figures: [Figure]?
    }

    struct Figure: Equatable {
        let name: String
        let value: Int
        var unit = ""
        var warning: Int?
        var critical: Int?
    }

    func outcome(_ status: Status) -> Outcome {
        let words = NamelessText(times: times)
        let found = status.attention.map { (Self.state(of: $0), words.sentence(of: $0)) }
        let grave = (found + tooOld(status)).filter { $0.0 != .ok }
        let many = tooMany(status)
        let worst = (grave.map { $0.0 } + [many]).max { $0.rawValue < $1.rawValue } ?? .ok
        guard worst != .ok else { return Outcome(state: .ok, text: Self.legible(words.well(status)), figures: figures(status)) }
        // The gravest first. The number of waiting entries is no cause, so it comes last.
        var texts = grave.filter { $0.0 == worst }.map { $0.1 } + grave.filter { $0.0 != worst }.map { $0.1 }
        let paused = status.attention.filter { $0.knownCode == .paused }.compactMap(\.backend)
        texts += status.backends.filter { !paused.contains($0.name) }.compactMap(words.obstacle)
        if many != .ok { texts.append("\(Words.entriesWait(status.waiting)).") }
        return Outcome(state: worst, text: Self.legible(texts.joined(separator: " ")), figures: figures(status))
    }

    /// Critical if the daemon does not run, otherwise unknown.
    static func outcome(_ problem: Problem) -> Outcome {
        Outcome(state: problem.code == .daemonNotRunning ? .critical : .unknown, text: legible(problem.detail))
    }

    /// Critical: captures are lost or refused, or nothing is delivered until an administrator acts.
    static func state(of item: Attention) -> State {
        switch item.knownCode {
        case .storeGone, .storeDamaged, .keyDeleted, .diskFull, .outboxFull, .noProfile, .dead, .otherAddress, .misconfigured,
            .noSecureConnection, .clock, .dropFolderFailing:
            .critical
        case .held, .lookUpFailing, .routeFailing, .networkSignIn, .signInRequired, .sessionFailing, .diskLow, .paused, .otherAccount,
            .stuckFiles, .unclaimedFiles, .refusedFiles, .listFailing, .configurationRejected, .unknown:
            .warning
        }
    }

    private func tooOld(_ status: Status) -> [(State, String)] {
        guard let (report, accepted) = oldest(status) else { return [] }
        let age = times.now.timeIntervalSince(accepted)
        guard age > min(limits.warningAge, limits.criticalAge) else { return [] }
        let name = report.oldestWaitingID.map { "Entry \(EntryText.shortID($0))" } ?? "The oldest entry"
        let text = "\(name) for \(report.name) was accepted \(times.relative(accepted)) and is still waiting."
        return [(age > limits.criticalAge ? .critical : .warning, text)]
    }

    private func tooMany(_ status: Status) -> State {
        let waiting = status.waiting
        return waiting > limits.criticalWaiting ?? .max ? .critical : waiting > limits.warningWaiting ?? .max ? .warning : .ok
    }

    private func oldest(_ status: Status) -> (report: BackendReport, accepted: Date)? {
        status.backends.compactMap { report in report.oldestWaiting.map { (report: report, accepted: $0) } }
            .min { $0.accepted < $1.accepted }
    }

    private func figures(_ status: Status) -> [Figure] {
        let age = oldest(status).map { max(0, times.now.timeIntervalSince($0.accepted)) } ?? 0
        return [
            Figure(name: "waiting", value: status.waiting, warning: limits.warningWaiting, critical: limits.criticalWaiting),
            Figure(name: "oldest", value: Int(age), unit: "s", warning: Int(limits.warningAge), critical: Int(limits.criticalAge)),
            Figure(name: "failed", value: status.total(\.dead)), Figure(name: "held", value: status.total(\.held)),
        ]
    }

    /// Neither ends the line nor begins the figures.
    private static func legible(_ text: String) -> String { text.printable.replacing("|", with: "/") }
}

extension StationCheck.State {
    var word: String {
        switch self {
        case .ok: "OK"
        case .warning: "WARNING"
        case .critical: "CRITICAL"
        case .unknown: "UNKNOWN"
        }
    }
}

extension StationCheck.Outcome {
    var line: String {
        let figures = figures.map { " | " + $0.map(\.text).joined(separator: " ") } ?? ""
        return "HOMING \(state.word) - \(text)\(figures)"
    }
}

extension StationCheck.Outcome: Encodable {
    private enum CodingKeys: String, CodingKey { case state, text, figures }

    /// `figures` has the numbers by name; it is absent without an answer of the daemon.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(state.word.lowercased(), forKey: .state)
        try container.encode(text, forKey: .text)
        try container.encodeIfPresent(
            figures.map { Dictionary(uniqueKeysWithValues: $0.map { ($0.name, $0.value) }) }, forKey: .figures)
    }
}

extension StationCheck.Figure {
    /// `name=value;warning;critical;least`, in which a threshold may be missing.
    var text: String {
        func limit(_ number: Int?) -> String { number.map { String($0) } ?? "" }
        return "\(name)=\(value)\(unit);\(limit(warning));\(limit(critical));0"
    }
}

extension Status {
    /// The entries in this state at all backends.
    func total(_ count: KeyPath<QueueReport, Int>) -> Int { backends.reduce(0) { $0 + $1.queue[keyPath: count] } }

    var waiting: Int { total(\.waiting) }
}
