/// How an answer goes back, if it does.
enum Delivery: Sendable {
    case whole(SandboxResponse)
    case late(SandboxResponse, by: Duration)
    case dribbled(SandboxResponse, each: Duration)
    case truncated(SandboxResponse)
    /// The connection is reset.
    case cut
    /// The connection stays open and silent until the client or the sandbox ends it.
    case never

    /// What the client is told, nil when it gets no whole answer.
    var status: Int? {
        switch self {
        case .whole(let response), .late(let response, by: _), .dribbled(let response, each: _): response.status
        case .truncated, .cut, .never: nil
        }
    }
}

/// One request with its answer and its places in the ledger.
struct Exchange: Sendable {
    let delivery: Delivery
    let arrival: Int
    let committed: [Int]
}
