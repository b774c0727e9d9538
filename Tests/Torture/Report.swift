import Foundation

/// The guarantees page: the promises, the faults, and the results of one run.
struct Report {
    let outcomes: [Outcome]
    let left: [String]
    let minutes: Double
    let began: Date

    var markdown: String {
        """
        # Guarantees

        Written by `make torture` on \(began.formatted(.iso8601.year().month().day())): \(Self.machine), \(number(minutes)) minutes. Every figure
        is one of that run. `homing-torture run --only CAMPAIGN --seed SEED` draws the same again; where something fails, the failure says how to
        replay it alone.

        ## What is promised

        1. Whatever was acknowledged is for ever in one state, and leaves only by a person.
        2. *Delivered* means that the backend has it.
        3. One effect at most for each id. With a backend that can neither look an id up nor ignore a second one, a duplicate only where
           `uncertain` was recorded.
        4. Once faults stop, whatever may be sent settles within bounded time; at any instant it is being sent, or a time is set.
        5. Order within a lane; 6. at most one of a lane in flight.
        7. At most three attempts, untouched by any number of failures that are not the entry's: offline, 401, 429, login pages,
           certificates and clocks.
        8. No request carries another account's credentials.
        9. No secret and no payload in logs, arguments, environment, events or reports, nor in the file once it was destroyed.
        10. The store opens after any crash; what cannot be read is put aside, and the daemon goes on.
        11. Memory, descriptors, timers and the write-ahead log do not grow with the backlog.

        ## What was done to break it

        | campaign | minutes | rounds | faults | acknowledged | lost | duplicated | of them recorded as uncertain | worst recovery | failures | seed |
        |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|
        \(outcomes.map(row).joined(separator: "\n"))

        Recovery is the time from the end of a fault until all was settled. That of the simulation is of the worlds' own time, in which a
        backend may have asked for hours of rest and people sign in in turn. Where *damage* destroys what was captured, nothing brings it back:
        there *lost* is what was missing and not told of, and what was told to be missing is counted below.

        ### Faults by kind

        What was injected into it or done to it; besides, what came of that or was only counted, and is no fault.

        \(outcomes.map(faults).joined(separator: "\n"))

        ## Who tries what

        Which campaigns look whether a promise was kept, and what of `make test` tries it besides. What they cannot see is named below.

        | promise | campaigns | tests |
        |---|---|---|
        \(Promise.all.map(\.row).joined(separator: "\n"))

        ## What has to fail, and did

        A campaign that cannot fail proves nothing: each was run with one of its guarantees taken away.

        | campaign | without | failed as it should |
        |---|---|---|
        \(outcomes.flatMap { outcome in
            outcome.controls.map { "| \(outcome.campaign) | \($0.without) | \($0.failedAsItShould ? "yes" : "**no**") |" }
        }.joined(separator: "\n"))

        Besides, bugs made by hand are planted one at a time: <doc:Mutants>.

        ## What was not tested

        \(left.isEmpty ? "" : "Left out of this run: \(left.joined(separator: ", ")).\n\n")\
        A real power cut and disks that lie about a flush; file systems other than the one of this machine and tmpfs; a network with real
        delay and loss (this kernel has no netem); a soak of days; another processor architecture; the backends themselves, for which the
        sandbox stands in.

        Promises 6 and 8 are tried in the simulation’s made-up worlds only, not by a campaign at the real daemon (`SessionTests` looks at the
        credentials of each of its requests); secrets are not looked for while calls fail, nor what was destroyed in the file (`SettleTests`
        does). What a backend repeats of a document in words of its own is kept with those words, up to 500 characters. Backlogs have at most
        \(grouped(BoundsCampaign.longest)) entries here, and timers are counted by their descriptors; `make bench` measures memory with up to a million. A full disk, one
        that may only be read, and one without inodes are tried by `ExhaustionTests` and the simulation. The salvage of a damaged store is
        killed at every place, but no power cut comes within it. What a power cut leaves of the log’s index, which SQLite writes through a mapping of
        the file, is not recorded: the cuts here leave none. Files are cut off, zeroed and removed while the daemon does not run, not under it.
        \(undone)
        \(failures)
        """
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
        let besides = outcome.counts.isEmpty ? "" : "\n  Besides: \(list(outcome.counts))."
        return "- **\(outcome.campaign)**: \(list(outcome.faults))\(reach).\(besides)"
    }

    private func list(_ times: [String: Int]) -> String {
        times.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \(grouped($0.value))" }.joined(separator: ", ")
    }

    /// Parts of campaigns that were skipped because something is missing.
    private var undone: String {
        let lines = outcomes.flatMap { outcome in
            outcome.counts.keys.filter { $0.contains("for want of") }.sorted().map { "- \(outcome.campaign): \($0)" }
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
