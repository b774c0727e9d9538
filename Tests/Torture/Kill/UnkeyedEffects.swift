import Sandbox

/// Judges what took effect at a backend that knows no keys and cannot be asked, entry by entry: another effect of an entry is only there where
/// it was noted of that very entry that the one before may have been.
struct UnkeyedEffects {
    /// How often each entry took effect, by the number that its list is named after.
    private(set) var made: [Int: Int] = [:]
    /// Lists that no entry asked for.
    private(set) var foreign = 0
    /// How often it was noted of each entry that it may have taken effect before.
    var doubts: [Int: Int] = [:]

    /// How the list of an entry is named.
    static func name(_ number: Int) -> String { "list \(number)" }

    /// - Parameters:
    ///   - digests: of what the backend stored, as its ledger has them.
    ///   - numbers: of all that was handed in, answered or not.
    init(digests: some Sequence<String>, numbers: some Sequence<Int>) {
        let asked = Dictionary(
            numbers.map { (LedgerEntry.digest(of: JSON.object(["name": .string(Self.name($0))]).bytes), $0) }, uniquingKeysWith: { $1 })
        for digest in digests {
            if let number = asked[digest] { made[number, default: 0] += 1 } else { foreign += 1 }
        }
    }

    /// Effects beyond the first of each entry.
    var duplicated: Int { made.values.reduce(0) { $0 + $1 - 1 } }

    /// Those of them that have a doubt of their entry's own.
    var duplicatedUncertain: Int { made.reduce(0) { $0 + min($1.value - 1, doubts[$1.key] ?? 0) } }

    /// What is not as promised, of entries that are called `delivered`.
    func problems(delivered: Set<Int>) -> [String] {
        let twice = made.filter { $0.value - 1 > doubts[$0.key] ?? 0 }.sorted { $0.key < $1.key }.map { number, times in
            "list \(number) was made \(times) times, and \(doubts[number] ?? 0) doubts were noted of its entry"
        }
        let never = delivered.subtracting(made.keys).sorted().map { "list \($0) is called delivered and was not made" }
        return twice + never + (foreign > 0 ? ["\(foreign) lists were made that nobody asked for"] : [])
    }
}
