import Foundation

/// The cost of an idle daemon.
struct Idling {
    let tools: Tools
    /// Wake-ups per minute of the timer `_dispatch_workq_monitor_pools`, which runs in every process with a global queue, such as every Swift task
    /// uses, and cannot be disabled (libdispatch, src/event/workqueue.c).
    private static let libdispatch = 60.0

    func measure() async throws -> [Row] {
        let station = try await Station(tools)
        try await station.start()
        try await station.signIn()
        try await station.submit(20)
        try await station.settled(20)
        // Until idle connections are closed.
        try await Task.sleep(for: .seconds(75))
        let begin = ContinuousClock.now
        let first = try ProcessFigures(station.pid)
        let syncs = try station.syncs
        var (ticks, last, moments) = (first.ticks, first, 0.0)
        while ContinuousClock.now - begin < .seconds(tools.isQuick ? 20 : 180) {
            try await Task.sleep(for: .milliseconds(100))
            let now = try ProcessFigures(station.pid)
            if now.wakeUps > last.wakeUps { moments += 1 }
            if ContinuousClock.now - begin < .seconds(10) { ticks = now.ticks }
            last = now
        }
        let minutes = (ContinuousClock.now - begin).seconds / 60
        let own = max(0, moments / minutes - Self.libdispatch)
        let rows = [
            Row(
                part: "idle", what: "processor ticks in 10 s", value: Double(ticks - first.ticks), unit: "", target: "0",
                isMet: ticks == first.ticks),
            Row(
                part: "idle", what: "the daemon’s own wake-ups per minute", value: own, unit: "", ratio: Self.libdispatch,
                of: "by libdispatch, to manage its threads", target: "at most 1", isMet: own <= 1),
            Row(
                part: "idle", what: "fsyncs in \(tools.isQuick ? "20 seconds" : "3 minutes")", value: Double(try station.syncs - syncs),
                unit: "", target: "0",
                isMet: try station.syncs == syncs),
            Row(
                part: "idle", what: "resident memory", value: last.resident, unit: "MiB", target: "at most 45", isMet: last.resident <= 45),
            Row(part: "idle", what: "of which outside the program’s file", value: last.own, unit: "MiB"),
        ]
        try await station.close()
        return rows
    }
}
