import Foundation

/// A connection timeout does not show whether the name was unknown or the resolver silent.
package enum NameLookup: Sendable {
    case known, unknown
    /// No DNS server answered, as without a network.
    case unanswered

    /// `unanswered` after `limit` or on cancellation.
    package static func of(_ host: String, within limit: Duration) async -> NameLookup {
        let (answers, answer) = AsyncStream.makeStream(of: NameLookup.self)
        // getaddrinfo blocks and cannot be cancelled.
        Thread.detachNewThread {
            var places: UnsafeMutablePointer<addrinfo>?
            let code = getaddrinfo(host, nil, nil, &places)
            if code == 0 { freeaddrinfo(places) }
            answer.yield(code == 0 ? .known : code == EAI_AGAIN ? .unanswered : .unknown)
            answer.finish()
        }
        return await withTaskGroup(of: NameLookup.self) { group in
            group.addTask { await answers.first { _ in true } ?? .unanswered }
            group.addTask {
                try? await Task.sleep(for: limit)  // `try?`: cancelled, it is no longer needed
                return .unanswered
            }
            defer { group.cancelAll() }
            return await group.next() ?? .unanswered
        }
    }
}
