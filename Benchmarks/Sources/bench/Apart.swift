import Foundation

/// A second backend that hangs must not slow the first one.
struct Apart {
    let tools: Tools

    /// The median ratio of alternating pairs, since two runs a minute apart differ more than the effect.
    func measure() async throws -> [Row] {
        var pairs: [(idle: Double, hanging: Double)] = []
        for number in 0..<(tools.isQuick ? 1 : 5) {
            // The first run has a colder disk.
            let hangsFirst = number % 2 == 1
            let first = try await rate(hangs: hangsFirst)
            let second = try await rate(hangs: !hangsFirst)
            pairs.append(hangsFirst ? (second, first) : (first, second))
        }
        pairs.sort { $0.hanging / $0.idle < $1.hanging / $1.idle }
        let (idle, hanging) = pairs[pairs.count / 2]
        return [
            Row(part: "apart", what: "64 lanes, the second backend idle", value: idle, unit: "/s"),
            Row(
                part: "apart", what: "64 lanes, the second backend hangs with 200 waiting: median of \(pairs.count) pairs", value: hanging,
                unit: "/s", ratio: hanging / idle, of: "of the idle rate", target: "at least 0.9", isMet: hanging >= 0.9 * idle),
            Row(
                part: "apart", what: "the worst and the best pair", value: pairs[0].hanging / pairs[0].idle, unit: "of the idle rate",
                ratio: pairs[pairs.count - 1].hanging / pairs[pairs.count - 1].idle, of: "of the idle rate"),
        ]
    }

    /// Deliveries per second to the first backend.
    private func rate(hangs: Bool) async throws -> Double {
        let station = try await Station(tools, inFlight: 64)
        let second = try await SecondBackend(station)
        try await station.start()
        try await station.signIn()
        try await second.signIn()
        if hangs { try await second.hang(waiting: 200) }
        try await station.goDown()
        let count = 6400
        try await station.submit(count)
        let rate = try await station.drain(count).spent.rate
        try await station.close()
        try await second.close()
        return rate
    }
}

/// Lists beside BreatheSafe, at a station that has not started yet.
private struct SecondBackend {
    private let station: Station
    private let sandbox = Process()
    private let faults: Client

    init(_ station: Station) async throws {
        self.station = station
        let ports = station.directory + "/second-ports"
        sandbox.executableURL = URL(fileURLWithPath: station.tools.sandbox)
        sandbox.arguments = ["run", "--backend", "lists", "--port-file", ports]
        sandbox.standardOutput = FileHandle.nullDevice
        try sandbox.run()
        try await eventually { FileManager.default.fileExists(atPath: ports) }
        let urls = try String(contentsOfFile: ports, encoding: .utf8).split(whereSeparator: { " \n=\"".contains($0) }).map(String.init)
            .filter { $0.hasPrefix("http") }
        faults = Client(base: urls[1])
        try station.addProfile("lists", at: urls[0])
        let file = station.directory + "/homing.yaml"
        let configuration = try String(contentsOfFile: file, encoding: .utf8) + "spool: {backend: breathesafe}\n"
        try configuration.write(toFile: file, atomically: true, encoding: .utf8)
    }

    func signIn() async throws {
        try await station.control.post("/v1/sessions", #"{"backend":"lists","email":"manager@lab.test","password":"Correct-horse-9"}"#)
    }

    /// The second backend stops responding, with so many entries waiting.
    func hang(waiting: Int) async throws {
        try await faults.post("/faults", #"{"fault":"never-answer"}"#)
        for number in 1...waiting {
            try await station.control.post("/v1/entries?backend=lists&route=create_list&item.name=list\(number)")
        }
    }

    func close() async throws {
        sandbox.terminate()
        try await faults.close()
    }
}
