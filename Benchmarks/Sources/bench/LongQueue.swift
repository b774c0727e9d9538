import Foundation

/// The cost of a long queue, which should be zero.
struct LongQueue {
    let tools: Tools
    let longest: Int

    func measure() async throws -> [Row] {
        let station = try await Station(tools, inFlight: 4, maxBytes: 8 << 30)
        try await station.start()
        try await station.signIn()
        try await station.goDown()
        var rows: [Row] = []
        var waiting = 0
        var first: (ready: Double, resident: Double)?
        for length in [0, 1_000, 100_000, 1_000_000] where length <= longest {
            let begin = ContinuousClock.now
            try await station.submit(length - waiting, document: Samples.least)
            if length > waiting {
                let rate = Double(length - waiting) / (ContinuousClock.now - begin).seconds
                FileHandle.standardError.write(Data("filled to \(length) at \(Int(rate))/s\n".utf8))
            }
            waiting = length
            var starts: [Double] = []
            for _ in 0..<5 {
                try await station.stop()
                starts.append(try await station.start())
            }
            let ready = starts.sorted()[2] * 1000
            let status = try await statusTime(station)
            try await deliverAWhile(station, adding: length == 0 ? 20 : 0)
            waiting = try await station.status().backends[0].queue.pending
            let memory = try ProcessFigures(station.pid)
            let resident = memory.resident
            let base = first ?? (ready, resident)
            first = base
            let what = "\(length.formatted(.number.locale(Locale(identifier: "en")))) waiting"
            rows += [
                Row(
                    part: "queue", what: "\(what): exec to READY", value: ready, unit: "ms", ratio: ready / base.ready,
                    of: "of an empty queue",
                    target: "at most 150", isMet: ready <= 150),
                Row(part: "queue", what: "\(what): status", value: status, unit: "ms", target: "at most 5", isMet: status <= 5),
                Row(
                    part: "queue", what: "\(what): resident memory", value: resident, unit: "MiB", ratio: resident - base.resident,
                    of: "MiB above an empty queue", target: "at most 45, within 3",
                    isMet: resident <= 45 && resident - base.resident <= 3),
                Row(part: "queue", what: "\(what): of which outside the program’s file", value: memory.own, unit: "MiB"),
            ]
            if length > 0 {
                let (claim, transaction) = try await claimTimes(station)
                waiting = try await station.status().backends[0].queue.pending
                rows += [
                    Row(part: "queue", what: "\(what): claim", value: claim, unit: "ms", target: "at most 1", isMet: claim <= 1),
                    Row(
                        part: "queue", what: "\(what): settle, claim and commit", value: transaction, unit: "ms",
                        ratio: transaction / 1000 * Disk.fdatasyncRate(in: station.directory), of: "fdatasyncs of 4 KiB"),
                ]
            }
        }
        try await station.close()
        return rows
    }

    /// Delivers for half a second, so that the same code has run at each length.
    private func deliverAWhile(_ station: Station, adding count: Int) async throws {
        station.delay(20)
        try await station.submit(count, document: Samples.least)
        try await station.goUp()
        try await station.control.post("/v1/sync")
        try await Task.sleep(for: .seconds(0.5))
        try await station.goDown()
        station.clearFaults()
        try await Task.sleep(for: .seconds(2))
    }

    /// The median of 200, in milliseconds.
    private func statusTime(_ station: Station) async throws -> Double {
        var times: [Double] = []
        for _ in 0..<200 {
            let begin = ContinuousClock.now
            _ = try await station.control.get("/v1/status")
            times.append((ContinuousClock.now - begin).seconds * 1000)
        }
        return times.sorted()[100]
    }

    /// Medians of the daemon's trace over a second of deliveries, in milliseconds: to claim the next entry, and from a response to the next claim,
    /// including their transaction and its fsync.
    private func claimTimes(_ station: Station) async throws -> (claim: Double, transaction: Double) {
        try await station.stop()
        try await station.start(trace: true)
        station.delay(20)
        try await station.goUp()
        try await station.control.post("/v1/sync")
        try await Task.sleep(for: .seconds(1.5))
        try await station.goDown()
        station.clearFaults()
        let lines = station.said.split(separator: "\n").filter { $0.contains("Settled and claimed") && !$0.contains("claimed=0") }
        try await station.stop()
        try await station.start()
        func median(_ key: String) throws -> Double {
            let times = lines.compactMap { line in
                line.range(of: " \(key)=").flatMap { Double(line[$0.upperBound...].prefix { $0.isNumber || $0 == "." }) }
            }
            guard times.count > 10 else { throw BenchError("only \(times.count) claims were seen") }
            return times.sorted()[times.count / 2] / 1000
        }
        return (try median("claimMicroseconds"), try median("microseconds"))
    }
}
