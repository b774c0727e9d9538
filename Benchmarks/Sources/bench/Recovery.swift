/// The time from the end of an outage to the first delivery, with the shipped pauses.
struct Recovery {
    let tools: Tools
    private static let stations = 8

    /// Pauses are random, so there are several stations. They mostly wait, so all outages run at the same time.
    func measure() async throws -> [Row] {
        let outages = tools.isQuick ? [20] : [20, 180]
        var waits: [Int: [Double]] = [:]
        try await withThrowingTaskGroup(of: (outage: Int, wait: Double).self) { group in
            for outage in outages {
                for _ in 0..<Self.stations { group.addTask { (outage, try await wait(after: outage)) } }
            }
            for try await (outage, wait) in group { waits[outage, default: []].append(wait) }
        }
        return outages.map { outage in
            let sorted = waits[outage, default: []].sorted()
            let (median, worst) = (sorted[sorted.count / 2], sorted[sorted.count - 1])
            return Row(
                part: "recovery", what: "after \(outage) s: to the first delivery, median of \(sorted.count)", value: median, unit: "s",
                ratio: worst, of: "s at worst", target: "at worst a quarter of the outage", isMet: worst <= Double(outage) / 4 + 0.5)
        }
    }

    /// In seconds.
    private func wait(after outage: Int) async throws -> Double {
        let station = try await Station(tools, firstPause: nil)
        try await station.start()
        try await station.signIn()
        try await station.submit(1)
        try await station.settled(1)
        try await station.goDown()
        try await station.submit(1)
        try await Task.sleep(for: .seconds(outage))
        let delivered = station.server.answers.now.measurements
        let end = ContinuousClock.now
        try await station.goUp()
        try await eventually(seconds: 600) { station.server.answers.now.measurements > delivered }
        let wait = (ContinuousClock.now - end).seconds
        try await station.close()
        return wait
    }
}
