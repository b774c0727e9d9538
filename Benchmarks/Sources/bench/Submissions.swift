import Foundation

struct Submissions {
    let tools: Tools

    func measure() async throws -> [Row] {
        let station = try await Station(tools)
        try await station.start()
        try await station.signIn()
        try await station.goDown()
        var rows: [Row] = []
        for (name, document) in [("2 KB", Samples.small), ("17 KB", Samples.large)] {
            for clients in [1, 8, 64] {
                let disk = Disk.fdatasyncRate(in: station.directory)
                let before = try station.syncs
                let (count, seconds) = try await submissions(station, clients, document)
                let perSync = Double(count) / Double(max(1, try station.syncs - before))
                let target: Double? = clients == 1 ? 0.7 : clients == 64 ? 8 : nil
                rows.append(
                    Row(
                        part: "submit", what: "\(name), \(clients) \(clients == 1 ? "client" : "clients")", value: Double(count) / seconds,
                        unit: "/s", ratio: Double(count) / seconds / disk, of: "of the disk’s fdatasyncs per second"))
                rows.append(
                    Row(
                        part: "submit", what: "\(name), \(clients) \(clients == 1 ? "client" : "clients"): rows per fdatasync",
                        value: perSync, unit: "rows", target: target.map { "at least \($0)" }, isMet: target.map { perSync >= $0 }))
            }
        }
        try await station.close()
        return rows
    }

    private func submissions(_ station: Station, _ clients: Int, _ document: Data) async throws -> (count: Int, seconds: Double) {
        let end = ContinuousClock.now + .seconds(tools.seconds)
        let begin = ContinuousClock.now
        let count = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<clients {
                group.addTask {
                    while ContinuousClock.now < end {
                        try await station.control.submit(document, user: Station.users[client % Station.users.count])
                        count.next()
                    }
                }
            }
            try await group.waitForAll()
        }
        return (count.value, (ContinuousClock.now - begin).seconds)
    }
}
