extension Recording {
    /// Removes steps that the violation does not need (delta debugging: Zeller and Hildebrandt, 2002).
    package func shrunk(replays: Int = 1000, patience: Duration = .seconds(20)) async throws -> Recording {
        guard let invariant = violation?.invariant else { return self }
        var smallest = self
        var left = replays
        let deadline = ContinuousClock.now + patience
        var size = max(1, steps.count / 2)
        while true {
            var start = 0
            var hasShrunk = false
            while start < smallest.steps.count {
                if left == 0 || ContinuousClock.now >= deadline { return smallest }
                left -= 1
                var candidate = smallest
                candidate.steps.removeSubrange(start..<min(start + size, candidate.steps.count))
                if let violation = try await candidate.replay().violation, violation.invariant == invariant {
                    candidate.violation = violation
                    smallest = candidate
                    hasShrunk = true
                } else {
                    start += size
                }
            }
            if size == 1, !hasShrunk { return smallest }
            size = max(1, size / 2)
        }
    }
}
