/// Repeats each measurement in turns with another build, so that both meet the same machine.
struct Turns: Sendable {
    let tools: Tools
    /// The folder of the other build; nil to measure once.
    let beside: String?
    let rounds: Int

    func rows(of measure: Measurement) async throws -> [Row] {
        guard let beside else { return try await measure(tools) }
        var others = tools
        others.programs = beside
        var turns: [(own: [Row], other: [Row])] = []
        for _ in 0..<rounds {
            let own = try await measure(tools)
            let other = try await measure(others)
            turns.append((own, other))
        }
        return turns[0].own.indices.map { index in Row(turns.map { $0.own[index] }, beside: turns.map { $0.other[index] }) }
    }
}

extension Row {
    /// The row with the median value of all rounds, and that of the other build.
    fileprivate init(_ rounds: [Row], beside others: [Row]) {
        func median(_ rows: [Row]) -> Row { rows.sorted { $0.value < $1.value }[rows.count / 2] }
        let other = median(others).value
        self = median(rounds)
        beside = Beside(
            value: other, ratio: other == 0 ? nil : value / other, rounds: rounds.map(\.value), roundsBeside: others.map(\.value))
    }
}
