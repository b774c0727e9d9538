import ControlAPI
import Foundation

/// The state of a station for the developers of Homing. Each value is a number, a truth value or a word of a closed list, so there is no
/// place for a name, an address, an id or a message.
struct BugReport: Encodable, Equatable {
    enum Daemon: String {
        case answers, notRunning, notPermitted, timeout, failed
    }

    struct Result: Encodable, Equatable {
        let check: ListedWord<Finding.Check>
        let state: ListedWord<Finding.State>
        /// The number of the backend in the report, from 1; nil for the station.
        let backend: Int?
    }

    struct DropFolder: Encodable, Equatable {
        let waiting, refused, stuck, unclaimed: Int
    }

    let homing: VersionNumber?
    let homingd: VersionNumber?
    /// The version of the kernel.
    let linux: VersionNumber?
    let daemon: ListedWord<Daemon>
    let hoursSinceStart: Int?
    let attention: WordCounts<Attention.Code>
    let backends: [BackendFigures]
    let dropFolder: DropFolder?
    let events: EventCounts
    let results: [Result]
    /// Nil for callers who may not administer.
    let settings: SettingsReport?

    init(_ facts: DoctorFacts, findings: [Finding], events: EventCounts, kernel: String, now: Date) {
        let status = try? facts.status.get()  // `try?`: `daemon` says why there is none
        let examination = try? facts.examination?.get()  // `try?`: the results say so
        homing = VersionNumber(facts.version)
        homingd = status.flatMap { VersionNumber($0.version) }
        linux = VersionNumber(kernel)
        daemon = ListedWord(Self.daemon(facts.status))
        hoursSinceStart = now.hours(since: status?.startedAt)
        attention = WordCounts((status?.attention ?? []).map(\.knownCode))
        backends = (status?.backends ?? []).map { BackendFigures($0, now: now) }
        dropFolder = status?.spool.map {
            DropFolder(waiting: $0.waiting, refused: $0.refused, stuck: $0.stuck, unclaimed: $0.unclaimed)
        }
        self.events = events
        let names = (status?.backends ?? []).map(\.name)
        results = findings.map { finding in
            let number = finding.backend.flatMap { names.firstIndex(of: $0) }.map { $0 + 1 }
            return Result(check: ListedWord(finding.knownCheck), state: ListedWord(finding.knownState), backend: number)
        }
        settings = examination?.settings
    }

    private static func daemon(_ status: Swift.Result<Status, Problem>) -> Daemon {
        guard case .failure(let problem) = status else { return .answers }
        return switch problem.code {
        case .daemonNotRunning: .notRunning
        case .notPermitted: .notPermitted
        case .timeout: .timeout
        default: .failed
        }
    }

    /// The text that is shown and written.
    var text: String {
        let encoder = JSONCoding.encoder
        encoder.outputFormatting.insert(.prettyPrinted)
        // `try?`: JSONCoding.encoded ends the program with a reason if encoding fails.
        return String(decoding: (try? encoder.encode(self)) ?? JSONCoding.encoded(self), as: UTF8.self)
    }
}

extension Date {
    /// Whole hours since `date`; nil without one.
    func hours(since date: Date?) -> Int? {
        date.map { Int(min(max(0, timeIntervalSince($0)), 1e12) / 3600) }
    }
}
