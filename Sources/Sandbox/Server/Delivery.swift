enum Delivery: Sendable {
    case whole(SandboxResponse)
    /// Sent after the pause returns.
    case late(SandboxResponse, after: @Sendable () async throws -> Void)
    case dribbled(SandboxResponse, each: Duration)
    case truncated(SandboxResponse)
    case cut
    /// The connection stays open and silent until the client or the sandbox closes it.
    case never

    func mapped(_ change: (SandboxResponse) -> SandboxResponse) -> Delivery {
        switch self {
        case .whole(let response): .whole(change(response))
        case .late(let response, let pause): .late(change(response), after: pause)
        case .dribbled(let response, let pause): .dribbled(change(response), each: pause)
        case .truncated(let response): .truncated(change(response))
        case .cut, .never: self
        }
    }

    /// The status that the client receives; nil if it gets no complete response.
    var status: Int? {
        switch self {
        case .whole(let response), .late(let response, after: _), .dribbled(let response, each: _): response.status
        case .truncated, .cut, .never: nil
        }
    }
}

struct Exchange: Sendable {
    let delivery: Delivery
    let arrival: Int
    let committed: [Int]
}
