extension [String] {
    /// `a`, `a and b`, `a, b and c`.
    package var inWords: String {
        guard let last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " and " + last
    }

    /// `a, b and 3 more`.
    package func inWords(atMost limit: Int) -> String {
        (Array(prefix(limit)) + (count > limit ? ["\(count - limit) more"] : [])).inWords
    }
}
