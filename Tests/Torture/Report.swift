import Foundation

/// The page of guarantees, with the promises and the results of one run, and the page beside it with the faults and the negative controls.
struct Report {
    let outcomes: [Outcome]
    let left: [String]
    let minutes: Double
    let began: Date

    var markdown: String {
        """
        # Guarantees

        Written by `make torture` on \(began.formatted(.iso8601.year().month().day())): \(Self.machine), \(number(minutes)) minutes. All
        figures are from that run. `homing-torture run --only CAMPAIGN --seed SEED` repeats the random choices of a campaign. Each failure says how
        to replay it alone.

        ## Promises

        1. Every acknowledged entry is always in exactly one state, and only a person can remove it.
        2. *Delivered* means that the backend has the entry.
        3. Each id takes effect at most once. If a backend can neither look up an id nor ignore a duplicate, duplicates occur only for entries
           recorded as `uncertain`. Of an entry and the one that replaces it, only one takes effect.
        4. When faults end, every entry that may be sent settles within bounded time. At any moment it is being sent, or its next time is set.
        5. Entries of a lane are delivered in order. With `on_dead: skip`, later ones overtake one that fails for good, three times in a row, or whose
           response was lost twice in a row; in a lane that another route names in `after`, only one that fails for good or is on hold.
        6. At most one entry of a lane is in flight.
        7. An entry gets at most three attempts. Failures that the entry did not cause do not count: offline, 401, 429, login pages,
           certificates and clocks.
        8. No request carries another account's credentials.
        9. Logs, arguments, environment, events and reports contain no secret and no payload. The file contains no payload after it was destroyed.
        10. The store opens after any crash. Unreadable data is set aside, and the daemon continues.
        11. Memory, descriptors, timers and the write-ahead log do not grow with the backlog.
        12. An entry that refers to a row that another entry creates is sent only after that one was delivered, and only with the id in its receipt.
        13. A backup file is whole, or a restore refuses it. A restored station has every entry that was acknowledged before the backup began, sends
           nothing until a person resumes, and repeats nothing that it can look up or that a person has looked up.
        14. A change of the keys loses nothing: each acknowledged entry stays, a repeated submission is recognized, and sessions stay signed in. Once
           it is complete, the earlier keys open nothing in a copy of the state directory.

        ## Attacks

        | campaign | minutes | rounds | faults | acknowledged | lost | duplicated | recorded as uncertain | worst recovery | failures | seed |
        |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|
        \(outcomes.map(row).joined(separator: "\n"))

        Recovery is the time from the end of a fault until all entries were settled. The simulation uses simulated time: a backend may ask for a
        wait of hours, and people sign in one after the other. *Damage* can destroy captures for good. There, *lost* counts missing captures that
        no report counts. [Faults](Faults.md) counts the reported ones, and all faults by kind.

        ## Coverage

        The campaigns that check each promise, and the tests of `make test` that check it too. Their limits are listed below.

        | promise | campaigns | tests |
        |---|---|---|
        \(Promise.all.map(\.row).joined(separator: "\n"))

        ## Negative controls

        A campaign that cannot fail proves nothing. Each was also run without one of its guarantees, and had to fail: \(controls). In addition,
        bugs are planted one at a time: [Planted bugs](Mutants.md).

        ## Not tested

        \(left.isEmpty ? "" : "Left out of this run: \(left.joined(separator: ", ")).\n\n")\
        Real power cuts, and disks that lie about a flush. File systems other than this machine’s own and tmpfs. A network with real delay and
        loss (this kernel has no netem). Runs of several days. Other processor architectures. The real backends, which the sandbox imitates.

        Of the campaigns, only the simulation checks promise 6, without the real daemon. *Backup* checks promise 8 for accepted changes only
        (`SessionTests` checks the credentials of each request). No campaign looks for secrets while system calls fail, or for destroyed payloads in the file (`SettleTests` does). If a
        backend repeats parts of a payload in a message, Homing keeps up to 500 characters of that message. Backlogs have at most
        \(grouped(BoundsCampaign.longest)) entries here, and timers are counted by their descriptors; `make bench` measures memory with up to a million.
        `ExhaustionTests` and the simulation test full disks, read-only disks and disks without inodes. The recovery of a damaged store is killed
        at every step, but no power cut happens during it, nor during a restore. SQLite writes the log’s index through a mapping of the file, which is not recorded, so
        the simulated power cuts leave no index. *Rotation* changes the key in the state directory, not a credential, and makes no power cut. Files are truncated, zeroed and removed only while the daemon is stopped.
        \(undone)
        \(failures)
        """
    }

    /// The name of the page beside that of the guarantees.
    static let faultsFile = "Faults.md"

    var faultsMarkdown: String {
        """
        # Faults

        Written by `make torture` on \(began.formatted(.iso8601.year().month().day())), with [Guarantees](Guarantees.md).

        ## Faults by kind

        Each list names the injected faults. *Also counted* lists consequences and other counts that are not faults.

        \(outcomes.map(faults).joined(separator: "\n"))

        ## Negative controls

        | campaign | without | failed as it should |
        |---|---|---|
        \(outcomes.flatMap { outcome in
            outcome.controls.map { "| \(outcome.campaign) | \($0.without) | \($0.failedAsItShould ? "yes" : "**no**") |" }
        }.joined(separator: "\n"))

        """
    }

    private var controls: String {
        let controls = outcomes.flatMap(\.controls)
        return "\(controls.filter(\.failedAsItShould).count) of \(controls.count) did"
    }

    private func row(_ outcome: Outcome) -> String {
        let recovery = outcome.worstRecovery.map { "\(number($0)) s" } ?? ""
        let cells: [String] = [
            outcome.campaign, number(outcome.minutes), grouped(outcome.rounds), grouped(outcome.faults.values.reduce(0, +)),
            grouped(outcome.acknowledged),
            grouped(outcome.lost), grouped(outcome.duplicated), grouped(outcome.duplicatedUncertain), recovery,
            grouped(outcome.failures.count), String(outcome.seed),
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    private func faults(_ outcome: Outcome) -> String {
        let reach = outcome.reach.map { "; \($0)" } ?? ""
        let besides = outcome.counts.isEmpty ? "" : "\n  Also counted: \(list(outcome.counts))."
        return "- **\(outcome.campaign)**: \(list(outcome.faults))\(reach).\(besides)"
    }

    private func list(_ times: [String: Int]) -> String {
        times.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \(grouped($0.value))" }.joined(separator: ", ")
    }

    /// Parts of campaigns that were skipped because something is missing.
    private var undone: String {
        let lines = outcomes.flatMap { outcome in
            outcome.counts.keys.filter { $0.contains("for lack of") }.sorted().map { "- \(outcome.campaign): \($0)" }
        }
        return lines.isEmpty ? "" : "\nLeft out of this run:\n\n\(lines.joined(separator: "\n"))\n"
    }

    private var failures: String {
        let lines = outcomes.flatMap { outcome in outcome.failures.map { "- \(outcome.campaign): \($0)" } }
        return lines.isEmpty ? "" : "\n## Failures\n\n\(lines.joined(separator: "\n"))\n"
    }

    private func grouped(_ value: Int) -> String { value.formatted(.number.locale(Locale(identifier: "en"))) }
    private func number(_ value: Double) -> String {
        value.formatted(.number.precision(.fractionLength(0...1)).locale(Locale(identifier: "en")))
    }

    private static var machine: String {
        // `try?`: the report then says that the processor is unknown.
        let info = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let model = info.split(separator: "\n").first { $0.hasPrefix("model name") }?.split(separator: ":").last ?? " unknown processor"
        return "\(ProcessInfo.processInfo.activeProcessorCount) cores,\(model)"
    }
}
