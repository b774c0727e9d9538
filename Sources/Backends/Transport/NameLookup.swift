import Foundation

/// How a host's name fares here. Whoever waits for a connection learns neither whether it was the name that was missing, nor whether anybody
/// has said so.
enum NameLookup: Sendable {
    case known, unknown
    /// Nobody answers questions for names: without a network nobody does.
    case unanswered

    /// Asks the system's resolver; `unanswered` too where that takes longer than `limit`, or the task is cancelled.
    static func of(_ host: String, within limit: Duration) async -> NameLookup {
        let (answers, answer) = AsyncStream.makeStream(of: NameLookup.self)
        // On a thread of its own: it blocks for as long as the resolver is patient, and cannot be called off.
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
