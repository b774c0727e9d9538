import Foundation

struct Submissions {
    let tools: Tools
    let document: Samples.Document

    func measure() async throws -> [Row] {
        let station = try await Station(tools)
        try await station.start()
        try await station.signIn()
        try await station.goDown()
        var rows: [Row] = []
        for clients in [1, 8, 64] {
            let what = "\(document.name), \(clients) \(clients == 1 ? "client" : "clients")"
            let disk = Disk.fdatasyncRate(in: station.directory)
            let spent = try await submissions(station, clients)
            let perSync = Double(spent.count) / Double(max(1, spent.syncs))
            let target: Double? = clients == 1 ? 0.7 : clients == 64 ? 8 : nil
            rows.append(
                Row(
                    part: "submit", what: what, value: spent.rate, unit: "/s", ratio: spent.rate / disk,
                    of: "of the disk’s fdatasyncs per second"))
            rows += spent.rows("submit", what, per: "submission")
            rows.append(
                Row(
                    part: "submit", what: "\(what): rows per fdatasync", value: perSync, unit: "rows",
                    target: target.map { "at least \($0)" }, isMet: target.map { perSync >= $0 }))
        }
        try await station.close()
        return rows
    }

    private func submissions(_ station: Station, _ clients: Int) async throws -> Spent {
        let begin = try station.reading()
        let end = begin.at + .seconds(tools.seconds)
        let count = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<clients {
                let user = Station.users[client % Station.users.count]
                group.addTask {
                    try await onThread {
                        let client = try BlockingClient(socket: station.socket)
                        let request = BlockingClient.request(document.data, user: user)
                        while ContinuousClock.now < end {
                            try client.send(request)
                            count.next()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        return Spent(count.value, from: begin, to: try station.reading())
    }

    private func onThread(_ work: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
        }
    }
}
