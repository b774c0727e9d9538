import Foundation

/// What a daemon costs that has nothing to do.
struct Idling {
    let tools: Tools

    func measure() async throws -> [Row] {
        let station = try await Station(tools)
        try await station.start()
        try await station.signIn()
        try await station.submit(20)
        _ = try await station.delivered(20)
        // Until the connections that were used have been given up.
        try await Task.sleep(for: .seconds(75))
        let first = try ProcessFigures(station.pid)
        let syncs = try station.syncs
        try await Task.sleep(for: .seconds(10))
        let second = try ProcessFigures(station.pid)
        try await Task.sleep(for: .seconds(110))
        let third = try ProcessFigures(station.pid)
        let wakeUps = Double(third.wakeUps - first.wakeUps) / 2
        let rows = [
            Row(
                part: "idle", what: "processor ticks in 10 s", value: Double(second.ticks - first.ticks), unit: "", target: "0",
                isMet: second.ticks == first.ticks),
            Row(part: "idle", what: "wake-ups a minute", value: wakeUps, unit: "", target: "at most 1", isMet: wakeUps <= 1),
            Row(
                part: "idle", what: "fsyncs in 2 minutes", value: Double(try station.syncs - syncs), unit: "", target: "0",
                isMet: try station.syncs == syncs),
            Row(
                part: "idle", what: "resident memory", value: third.resident, unit: "MiB", target: "at most 45", isMet: third.resident <= 45
            ),
        ]
        try await station.close()
        return rows
    }
}
