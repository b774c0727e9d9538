import Foundation

/// Documents of the largest size, taken in: their memory has to come back.
struct LargeDocuments {
    let tools: Tools

    func measure() async throws -> [Row] {
        let station = try await Station(tools)
        try await station.start()
        try await station.signIn()
        let text = String(repeating: "x", count: 31 << 20)
        let document = Data(#"{"timestamp":1,"average_measurements":{},"mesh":"\#(text)"}"#.utf8)
        func resident() async throws -> Double {
            try await Task.sleep(for: .seconds(2))
            return try ProcessFigures(station.pid).resident
        }
        try await station.goDown()
        let before = try await resident()
        try await station.submit(1, clients: 1, document: document)
        let first = try await resident()
        try await station.submit(19, clients: 4, document: document)
        let twentieth = try await resident()
        let rows = [
            Row(part: "large", what: "resident before", value: before, unit: "MiB"),
            Row(part: "large", what: "after one document of 31 MiB", value: first, unit: "MiB"),
            Row(
                part: "large", what: "after twenty of them", value: twentieth, unit: "MiB", target: "within 3 of one",
                isMet: twentieth - first <= 3),
            Row(part: "large", what: "the most it has been", value: try ProcessFigures(station.pid).peak, unit: "MiB"),
        ]
        try await station.close()
        return rows
    }
}
