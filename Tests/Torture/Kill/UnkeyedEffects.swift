import Sandbox

/// Judges the effects at a backend without keys and look-ups. An entry may have another effect only if a doubt about this entry was recorded.
struct UnkeyedEffects {
    private(set) var made: [Int: Int] = [:]
    /// Lists that no entry asked for.
    private(set) var foreign = 0
    var doubts: [Int: Int] = [:]

    static func name(_ number: Int) -> String { "list \(number)" }

    /// - Parameters:
    ///   - digests: digests in the backend's ledger.
    ///   - numbers: all submissions, acknowledged or not.
    init(digests: some Sequence<String>, numbers: some Sequence<Int>) {
        let asked = Dictionary(
            numbers.map { (LedgerEntry.digest(of: JSON.object(["name": .string(Self.name($0))]).bytes), $0) }, uniquingKeysWith: { $1 })
        for digest in digests {
            if let number = asked[digest] { made[number, default: 0] += 1 } else { foreign += 1 }
        }
    }

    var duplicated: Int { made.values.reduce(0) { $0 + $1 - 1 } }

    /// Those of them with a recorded doubt about the same entry.
    var duplicatedUncertain: Int { made.reduce(0) { $0 + min($1.value - 1, doubts[$1.key] ?? 0) } }

    func problems(delivered: Set<Int>) -> [String] {
        let twice = made.filter { $0.value - 1 > doubts[$0.key] ?? 0 }.sorted { $0.key < $1.key }.map { number, times in
            "list \(number) was created \(times) times, but its entry was recorded as uncertain \(doubts[number] ?? 0) times"
        }
        let never = delivered.subtracting(made.keys).sorted().map { "list \($0) is marked as delivered but was not created" }
        return twice + never + (foreign > 0 ? ["\(foreign) lists were created that were not submitted"] : [])
    }
}
