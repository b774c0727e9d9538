extension String {
    /// The most similar words: at most three, closest first; none if all are unlike this text.
    package func similar(among words: Set<String>) -> [String] {
        let (length, most) = (count, count < 4 ? 1 : count < 8 ? 2 : 3)
        let distances = words.compactMap { word -> (word: String, distance: Int)? in
            if length > 2, word.hasPrefix(self) { return (word: word, distance: word == self ? 0 : 1) }
            // A hostile text may have any length.
            guard abs(word.count - length) <= most else { return nil }
            return (word: word, distance: distance(to: word))
        }
        guard let least = distances.map({ $0.distance }).min(), least <= most else { return [] }
        return Array(distances.filter { $0.distance == least }.map { $0.word }.sorted().prefix(3))
    }

    /// The number of insertions, removals, replacements and swaps of neighbours (optimal string alignment).
    func distance(to other: String) -> Int {
        let (a, b) = (Array(self), Array(other))
        var rows = [Array(0...b.count)]
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var least = Swift.min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = Swift.min(least, rows[i - 1][j - 1] + 1) }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
