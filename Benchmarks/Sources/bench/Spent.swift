/// What the daemon has used since its start.
struct Reading: Sendable {
    let at = ContinuousClock.now
    /// Of 10 ms of processor time.
    let ticks: Int
    let syncs: Int
    /// To the disk, in bytes.
    let written: Int
}

/// What a number of submissions or deliveries took.
struct Spent: Sendable {
    let count: Int
    let rate: Double
    /// Of the daemon, for a thousand.
    let processorSeconds: Double
    let syncs: Int
    private let written: Int

    init(_ count: Int, from begin: Reading, to end: Reading) {
        self.count = count
        rate = Double(count) / (end.at - begin.at).seconds
        processorSeconds = Double(end.ticks - begin.ticks) * 10 / Double(count)
        (syncs, written) = (end.syncs - begin.syncs, end.written - begin.written)
    }

    /// - Parameter one: the word for one of the counted things, such as `delivery`.
    func rows(_ part: String, _ what: String, per one: String) -> [Row] {
        [
            Row(part: part, what: "\(what): processor per 1,000", value: processorSeconds, unit: "s"),
            Row(part: part, what: "\(what): written per \(one)", value: Double(written) / 1024 / Double(count), unit: "KiB"),
        ]
    }
}

/// What the backend has seen.
struct Traffic: Sendable {
    let connections: Int
    let requests: Int
    /// In bytes.
    let received: Int

    static func - (later: Traffic, earlier: Traffic) -> Traffic {
        Traffic(
            connections: later.connections - earlier.connections, requests: later.requests - earlier.requests,
            received: later.received - earlier.received)
    }
}
