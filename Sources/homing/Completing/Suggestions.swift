import ArgumentParser
import ControlAPI
import Foundation

/// Shell completions from the daemon; empty if it does not answer within a second.
enum Suggestions {
    static let backends = CompletionKind.custom { words, _, _ in
        await within(words) { client async throws(Problem) in
            try await client.call(Endpoints.status, NoInput()).backends.map(\.name)
        }
    }

    static let rosters = CompletionKind.custom { words, _, _ in
        await within(words) { client async throws(Problem) in
            try await client.call(Endpoints.rosters, RosterListQuery()).rosters.map(\.title.many)
        }
    }

    /// The short ids of the newest entries, as in ‘homing list’.
    static let entries = CompletionKind.custom { words, _, prefix in
        await within(words) { client async throws(Problem) in try await ids(from: client, states: [nil], prefix) }
    }

    /// The short ids of failed and held entries.
    static let troubledEntries = CompletionKind.custom { words, _, prefix in
        await within(words) { client async throws(Problem) in try await ids(from: client, states: ["dead", "held"], prefix) }
    }

    private static func ids(from client: ControlClient, states: [String?], _ prefix: String) async throws(Problem) -> [String] {
        var ids: [String] = []
        for state in states {
            let newest = try await client.call(Endpoints.entries, EntryQuery(state: state, limit: 200)).entries.reversed()
            ids += newest.map { EntryText.shortID($0.id) }
        }
        return ids.filter { $0.hasPrefix(prefix.lowercased()) }
    }

    static let limit = Duration.seconds(1)

    private static func within(
        _ words: [String], _ ask: @escaping @Sendable (ControlClient) async throws(Problem) -> [String]
    ) async -> [String] {
        let client = ControlClient(socketPath: socket(in: words), timeout: limit)
        return await withTaskGroup(of: [String].self) { group in
            // `try?`: a completion shows no errors; the command reports them when it runs.
            group.addTask { (try? await ask(client)) ?? [] }
            group.addTask {
                try? await Task.sleep(for: limit)  // `try?`: cancelled because the daemon has answered
                return []
            }
            defer { group.cancelAll() }
            return await group.next() ?? []
        }
    }

    static func socket(in words: [String], environment: [String: String] = ProcessInfo.processInfo.environment) -> String {
        let usual = SocketLocation.forClient(environment: environment)
        for (index, word) in words.enumerated() {
            if word == "--socket", index + 1 < words.count { return words[index + 1] }
            if word.hasPrefix("--socket=") { return String(word.dropFirst("--socket=".count)) }
        }
        return usual
    }
}
