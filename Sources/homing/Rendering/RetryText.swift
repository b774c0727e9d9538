import ControlAPI

/// What having entries tried again came to.
enum RetryText {
    /// Entries of somebody who is not signed in.
    struct Obstacle {
        let count: Int
        /// Of one of them.
        let why: Explanation
    }

    static func done(_ entries: [EntrySummary], _ obstacles: [Obstacle]) -> String {
        let free = entries.count - obstacles.reduce(0) { $0 + $1.count }
        var lines: [String] = []
        if free > 0 {
            lines.append("\(Words.entries(free).capitalisedFirst) will be tried again, up to three times\(free == 1 ? "" : " each").")
        }
        lines += obstacles.flatMap { obstacle in
            let count = obstacle.count
            return [
                "\(Words.entries(count).capitalisedFirst) \(count == 1 ? "is" : "are") not tried yet. \(obstacle.why.sentence.printable)"
            ]
                + [obstacle.why.next?.printable].compactMap(\.self)
        }
        return lines.joined(separator: "\n")
    }
}
