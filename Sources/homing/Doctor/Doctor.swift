import ControlAPI
import Foundation

/// Judges the facts about the station. Pure.
struct Doctor {
    let facts: DoctorFacts
    let times: TimeText

    /// The results in the order of the checks: each check once or more.
    var findings: [Finding] {
        // Where two know about the same thing, the daemon's examination is newer than its status.
        let merged = Self.merged([installation, examination, station])
        return Finding.Check.allCases.flatMap { check in merged.filter { $0.knownCheck == check } }
    }

    // MARK: The installation

    private var installation: [Finding] { [daemon, versions, units, clock, configuration].compactMap(\.self) }

    private var daemon: Finding {
        switch facts.status {
        case .success(let status): Finding(.daemon, .ok, "homingd answers. It started \(times.relative(status.startedAt)).")
        case .failure(let problem): Finding(.daemon, .problem, problem.detail, remedy: problem.next)
        }
    }

    /// Nil without a daemon.
    private var versions: Finding? {
        guard case .success(let status) = facts.status else { return nil }
        guard status.version != facts.version else {
            return Finding(.versions, .ok, "homing and homingd have the version \(facts.version).")
        }
        return Finding(
            .versions, .warning, "homing has the version \(facts.version), and homingd \(status.version).",
            remedy: "To start the installed version of homingd, run: sudo systemctl restart homingd")
    }

    private var units: Finding? {
        guard !facts.units.isEmpty else { return nil }
        if facts.units["homingd.service"] == "enabled" {
            return Finding(.units, .ok, "homingd starts with the computer.")
        }
        let states = facts.units.sorted { $0.key < $1.key }.map { "\($0.key) is \($0.value)" }
        return Finding(
            .units, .problem, "homingd does not start with the computer: \(states.inWords).",
            remedy: "To enable it, run: \(ServiceStart.command(isEnabled: false))")
    }

    private var clock: Finding? {
        facts.isClockSynchronised.map { isSynchronised in
            isSynchronised
                ? Finding(.clock, .ok, "The clock is synchronised over the network.")
                : Finding(
                    .clock, .warning, "The clock is not synchronised over the network.",
                    remedy: NetworkTime.remedy(isInstalled: facts.hasTimeService))
        }
    }

    private var configuration: Finding? {
        guard let outcome = facts.configuration else { return unchecked }
        let line = outcome.text.split(separator: "\n").first.map(String.init)
        guard outcome.code != 0 else {
            // Without a file, the first line says that the defaults apply.
            let defaults = line.flatMap { $0.hasPrefix("There is no ") ? " \($0)" : nil } ?? ""
            return Finding(.configuration, .ok, "‘homingd check’ found no mistakes.\(defaults)")
        }
        let first = line.map { ": \($0)" } ?? "."
        return Finding(
            .configuration, .problem, "‘homingd check’ found mistakes\(first)", remedy: "To see all of them, run: homingd check")
    }

    private var unchecked: Finding? {
        facts.command.map { command in
            Finding(
                .configuration, .note, "The daemon’s configuration was not checked, because its file is unknown or cannot be read.",
                remedy: "To check it, run: \(command)")
        }
    }

    // MARK: The examination

    private var examination: [Finding] {
        switch facts.examination {
        case nil: return []
        case .success(let report)?: return report.findings
        case .failure(let problem)?:
            return [Finding(.daemon, .problem, "The daemon did not examine the station: \(problem.detail)", remedy: problem.next)]
        }
    }

    // MARK: Merging

    /// For each check of each backend: the findings of the first group that found something wrong, or else of the first that knows it.
    static func merged(_ groups: [[Finding]]) -> [Finding] {
        var keys: [[String?]] = []
        for finding in groups.joined() where !keys.contains(finding.key) { keys.append(finding.key) }
        return keys.flatMap { key -> [Finding] in
            let known = groups.map { $0.filter { $0.key == key } }.filter { !$0.isEmpty }
            guard let first = known.first(where: { $0.contains { !$0.isOK } }) else { return known.first ?? [] }
            return first.filter { !$0.isOK }
        }
    }
}

extension Finding {
    fileprivate var key: [String?] { [check, backend] }
}
