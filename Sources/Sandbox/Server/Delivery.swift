/// How an answer goes back, if it does.
enum Delivery: Sendable {
    case whole(SandboxResponse)
    /// Once the pause has returned.
    case late(SandboxResponse, after: @Sendable () async throws -> Void)
    case dribbled(SandboxResponse, each: Duration)
    case truncated(SandboxResponse)
    /// The connection is reset.
    case cut
    /// The connection stays open and silent until the client or the sandbox ends it.
    case never

    /// The same with another answer, where there is one.
    func mapped(_ change: (SandboxResponse) -> SandboxResponse) -> Delivery {
        switch self {
        case .whole(let response): .whole(change(response))
        case .late(let response, let pause): .late(change(response), after: pause)
        case .dribbled(let response, let pause): .dribbled(change(response), each: pause)
        case .truncated(let response): .truncated(change(response))
        case .cut, .never: self
        }
    }

    /// What the client is told, nil when it gets no whole answer.
    var status: Int? {
        switch self {
        case .whole(let response), .late(let response, after: _), .dribbled(let response, each: _): response.status
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
