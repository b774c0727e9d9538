import Foundation

/// Payloads of the maximum size: their memory must be released.
struct LargeDocuments {
    let tools: Tools

    func measure() async throws -> [Row] {
        let station = try await Station(tools)
        try await station.start()
        try await station.signIn()
        let text = String(repeating: "x", count: 31 << 20)
        let document = Data(#"{"timestamp":1,"average_measurements":{},"mesh":"\#(text)"}"#.utf8)
        func memory() async throws -> ProcessFigures {
            try await Task.sleep(for: .seconds(2))
            return try ProcessFigures(station.pid)
        }
        try await station.goDown()
        let before = try await memory()
        try await station.submit(1, clients: 1, document: document)
        let first = try await memory()
        try await station.submit(19, clients: 4, document: document)
        let twentieth = try await memory()
        try await station.submit(20, clients: 4, document: document)
        let fortieth = try await memory()
        let rows = [
            Row(
                part: "large", what: "memory before", value: before.resident, unit: "MiB", ratio: before.own,
                of: "MiB outside the program’s file"),
            Row(
                part: "large", what: "after one document of 31 MiB", value: first.resident, unit: "MiB", ratio: first.own,
                of: "MiB outside the program’s file"),
            Row(
                part: "large", what: "after twenty, four at a time", value: twentieth.resident, unit: "MiB", ratio: twentieth.own,
                of: "MiB outside the program’s file"),
            Row(
                part: "large", what: "after forty", value: fortieth.resident, unit: "MiB", ratio: fortieth.own,
                of: "MiB outside the program’s file",
                target: "within 3 of twenty", isMet: fortieth.resident - twentieth.resident <= 3),
            Row(part: "large", what: "peak memory", value: fortieth.peak, unit: "MiB"),
        ]
        try await station.close()
        return rows
    }
}
