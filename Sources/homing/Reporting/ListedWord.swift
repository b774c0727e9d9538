/// A word of a closed list. No other text fits into it.
struct ListedWord<List: RawRepresentable & Hashable & Sendable>: Encodable, Hashable, Sendable where List.RawValue == String {
    let word: List

    init(_ word: List) { self.word = word }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(word.rawValue)
    }
}

/// How often each word of a closed list occurs.
struct WordCounts<List: RawRepresentable & Hashable & Sendable>: Encodable, Equatable, Sendable where List.RawValue == String {
    private(set) var counts: [List: Int] = [:]

    init() {}
    init(_ words: some Sequence<List>) { for word in words { add(word) } }

    mutating func add(_ word: List) { counts[word, default: 0] += 1 }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Dictionary(uniqueKeysWithValues: counts.map { ($0.key.rawValue, $0.value) }))
    }
}

/// A version of three numbers.
struct VersionNumber: Encodable, Equatable, Sendable {
    let numbers: [Int]

    /// Nil for other text.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        numbers = parts.compactMap { Int($0) }.filter { (0...9999).contains($0) }
        if parts.count != 3 || numbers.count != 3 { return nil }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(numbers.map { String($0) }.joined(separator: "."))
    }
}
