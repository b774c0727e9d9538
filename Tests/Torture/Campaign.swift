import Foundation

/// One way of trying to break the guarantees.
protocol Campaign: Sendable {
    /// One word, as the command line and the report name it.
    static var name: String { get }

    /// Goes on until `deadline`, at least one round, everything random made of `seed`. What breaks a guarantee is a line of `failures`; an
    /// error says that the campaign itself could not go on.
    func run(until deadline: ContinuousClock.Instant, seed: UInt64) async throws -> Outcome
}

/// What one campaign did and saw.
struct Outcome: Codable, Sendable, CustomStringConvertible {
    let campaign: String
    let seed: UInt64
    /// For how long it ran, its controls with it.
    var minutes = 0.0
    var rounds = 0
    /// How often each kind of fault was met, by its name: kills at a point, failed calls, cuts, flipped bytes, hostile input.
    var faults: [String: Int] = [:]
    /// What was counted besides and is no fault, by its name: what came of faults, how much was done, what was left out.
    var counts: [String: Int] = [:]
    /// Entries that were acknowledged to whoever handed them in, and what became of them.
    var acknowledged = 0
    var lost = 0
    /// Effects at the backend beyond the first of each key; those of them that the outbox had recorded as uncertain.
    var duplicated = 0
    var duplicatedUncertain = 0
    /// The longest that it took from the start after a fault until everything was settled again, in seconds.
    var worstRecovery: Double?
    /// The same campaign with a guarantee taken away, which must fail: what was taken away, and whether it failed.
    var controls: [Control] = []
    /// How far an enumeration came, as a clause.
    var reach: String?
    /// Guarantees that were broken, each with what replays it.
    var failures: [String] = []

    init(_ campaign: String, seed: UInt64) {
        self.campaign = campaign
        self.seed = seed
    }

    struct Control: Codable, Sendable {
        let without: String
        let failedAsItShould: Bool
    }

    /// What a person reads while the campaigns run.
    var description: String {
        func list(_ times: [String: Int]) -> String {
            times.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        }
        let besides = counts.isEmpty ? [] : ["  Besides: \(list(counts))"]
        let sums = "\(rounds) rounds, \(acknowledged) acknowledged, \(lost) lost, \(duplicated) duplicated, seed \(seed)"
        let missed = controls.filter { !$0.failedAsItShould }.map { "  CONTROL without \($0.without) did not fail" }
        return
            (["\(campaign): \(sums)", "  \(list(faults))"] + besides + (reach.map { ["  \($0)"] } ?? []) + missed
            + failures.map { "  FAILURE \($0)" })
            .joined(separator: "\n")
    }

    /// A part of a campaign that was lived through with a guarantee taken away; it has to fail each time.
    mutating func controlled(without: String, failedAsItShould: Bool) {
        let before = controls.first { $0.without == without }?.failedAsItShould ?? true
        controls.removeAll { $0.without == without }
        controls.append(Control(without: without, failedAsItShould: before && failedAsItShould))
    }

    mutating func met(_ fault: String, _ times: Int = 1) { faults[fault, default: 0] += times }

    /// Counts what is no fault; what has not happened is not told.
    mutating func counted(_ what: String, _ times: Int = 1) { if times > 0 { counts[what, default: 0] += times } }
}
