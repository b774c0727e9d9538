import Foundation

protocol Campaign: Sendable {
    static var name: String { get }

    /// Runs at least one round and until `deadline`, with all randomness from `seed`. A broken guarantee adds to `failures`; an error means that the
    /// campaign could not continue.
    func run(until deadline: ContinuousClock.Instant, seed: UInt64) async throws -> Outcome
}

struct Outcome: Codable, Sendable, CustomStringConvertible {
    let campaign: String
    let seed: UInt64
    /// Includes the controls.
    var minutes = 0.0
    var rounds = 0
    /// The count of each injected fault: kills at a point, failed calls, cuts, flipped bytes, hostile input.
    var faults: [String: Int] = [:]
    /// Other counts: consequences of faults, amounts of work, skipped parts.
    var counts: [String: Int] = [:]
    var acknowledged = 0
    var lost = 0
    /// Effects at the backend beyond the first of each key, and those recorded as uncertain.
    var duplicated = 0
    var duplicatedUncertain = 0
    /// The longest time in seconds from the start after a fault until all was settled.
    var worstRecovery: Double?
    /// Negative controls: the campaign without one guarantee, which must fail.
    var controls: [Control] = []
    /// The progress of an enumeration, as a clause.
    var reach: String?
    /// Broken guarantees, each with its replay command.
    var failures: [String] = []

    init(_ campaign: String, seed: UInt64) {
        self.campaign = campaign
        self.seed = seed
    }

    struct Control: Codable, Sendable {
        let without: String
        let failedAsItShould: Bool
    }

    var description: String {
        func list(_ times: [String: Int]) -> String {
            times.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        }
        let besides = counts.isEmpty ? [] : ["  Also counted: \(list(counts))"]
        let sums = "\(rounds) rounds, \(acknowledged) acknowledged, \(lost) lost, \(duplicated) duplicated, seed \(seed)"
        let missed = controls.filter { !$0.failedAsItShould }.map { "  CONTROL without \($0.without) did not fail" }
        return
            (["\(campaign): \(sums)", "  \(list(faults))"] + besides + (reach.map { ["  \($0)"] } ?? []) + missed
            + failures.map { "  FAILURE \($0)" })
            .joined(separator: "\n")
    }

    /// Records a negative control, which has to fail every time.
    mutating func controlled(without: String, failedAsItShould: Bool) {
        let before = controls.first { $0.without == without }?.failedAsItShould ?? true
        controls.removeAll { $0.without == without }
        controls.append(Control(without: without, failedAsItShould: before && failedAsItShould))
    }

    mutating func met(_ fault: String, _ times: Int = 1) { faults[fault, default: 0] += times }

    /// Counts something that is not a fault; omits zero.
    mutating func counted(_ what: String, _ times: Int = 1) { if times > 0 { counts[what, default: 0] += times } }
}
