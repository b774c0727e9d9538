import ArgumentParser
import ControlAPI
import Foundation

/// Completions from the daemon; empty if it does not answer within a second.
enum Suggestions {
    static let backends = CompletionKind.custom { words, _, _ in
        await within(words) { client async throws(Problem) in
            try await client.call(Endpoints.status, NoInput()).backends.map(\.name)
        }
    }

    /// The names of refused files in the drop folder.
    static let refusedFiles = CompletionKind.custom { words, _, _ in
        let shell = CompletionShell.requesting
        return await within(words) { client async throws(Problem) in
            let files = try await client.call(Endpoints.status, NoInput()).spool?.refusedFiles ?? []
            return files.map { escaped($0.printable, for: shell) }
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

    /// The short ids of undelivered entries whose outcome is unknown.
    static let doubtfulEntries = CompletionKind.custom { words, _, prefix in
        await within(words) { client async throws(Problem) in
            try await ids(from: client, states: ["pending", "dead", "held"], prefix) { $0.isDoubtful }
        }
    }

    /// The short ids of discarded entries that can be brought back.
    static let discardedEntries = CompletionKind.custom { words, _, prefix in
        await within(words) { client async throws(Problem) in
            let held = try await client.call(Endpoints.entries, EntryQuery(state: "held", limit: 200)).entries.reversed()
            return held.filter(\.isBeingDiscarded).map { EntryText.shortID($0.id) }.filter { $0.hasPrefix(prefix.lowercased()) }
        }
    }

    /// The names in the list that `user_id` refers to.
    static let people = CompletionKind.custom { words, _, prefix in
        await names(words, prefix) { $0.references?.contains { $0.field == "user_id" } == true }
    }

    /// The names in the list whose name follows the word ‘roster’.
    static let rows = CompletionKind.custom { words, _, prefix in
        guard let index = words.firstIndex(of: "roster"), index + 1 < words.count else { return [] }
        let list = words[index + 1]
        return await names(words, prefix) { RosterList(rosters: [$0]).named(list).first != nil }
    }

    /// The members of the list whose name follows the word ‘roster’, as values of `--set`.
    static let members = CompletionKind.custom { words, _, _ in
        guard let index = words.firstIndex(of: "roster"), index + 2 < words.count, let action = RosterAction(rawValue: words[index + 2])
        else { return [] }
        let (list, backend) = (words[index + 1], value(of: "--backend", in: words))
        return await within(words) { client async throws(Problem) in
            let lists = try await client.call(Endpoints.rosters, RosterListQuery(backend: backend))
            return assignments(for: action, lists.named(list).first?.actions)
        }
    }

    static func assignments(for action: RosterAction, _ actions: RosterActions?) -> [String] {
        guard action.takesForm, let actions else { return [] }
        return ((action == .add ? actions.fields : nil) ?? actions.form).map { "\($0)=" }
    }

    private static func names(
        _ words: [String], _ prefix: String, _ isMeant: @escaping @Sendable (RosterReport) -> Bool
    ) async -> [String] {
        let (shell, backend) = (CompletionShell.requesting, value(of: "--backend", in: words))
        return await within(words) { client async throws(Problem) in
            let lists = try await client.call(Endpoints.rosters, RosterListQuery(backend: backend)).rosters
            guard let list = lists.first(where: isMeant) else { return [] }
            let find = prefix.filter { !#"\'""#.contains($0) }
            let query = RosterQuery(
                resource: list.resource, backend: list.backend, find: find.isEmpty ? nil : find, limit: 200)
            return names(of: try await client.call(Endpoints.roster, query).rows, for: shell)
        }
    }

    /// Each name once, or the id if a name could be one.
    static func names(of rows: [RosterRow], for shell: CompletionShell?) -> [String] {
        var ids: [String: [String]] = [:]
        for row in rows { ids[row.label, default: []].append(row.shownID.printable) }
        return rows.compactMap { row -> String? in
            let id = row.shownID.printable
            let isName = row.label.first?.isLetter == true
            if isName, ids[row.label]?.first != id { return nil }
            let (value, other) =
                isName ? (row.label.printable, ids[row.label, default: []].joined(separator: ", ")) : (id, row.label.printable)
            let word = escaped(value, for: shell)
            switch shell {
            case .zsh?: return "\(word):\(other)"
            case .fish?: return "\(word)\t\(other)"
            default: return word
            }
        }
    }

    static func escaped(_ word: String, for shell: CompletionShell?) -> String {
        switch shell {
        // bash expands the words: a name must not run a command.
        case .bash?: word.map { $0.isLetter || $0.isNumber ? "\($0)" : "\\\($0)" }.joined()
        case .zsh?: word.replacing("\\", with: "\\\\").replacing(":", with: "\\:")
        default: word
        }
    }

    private static func ids(
        from client: ControlClient, states: [String?], _ prefix: String, where isMeant: (EntrySummary) -> Bool = { _ in true }
    ) async throws(Problem) -> [String] {
        var ids: [String] = []
        for state in states {
            let newest = try await client.call(Endpoints.entries, EntryQuery(state: state, limit: 200)).entries.reversed()
            ids += newest.filter(isMeant).map { EntryText.shortID($0.id) }
        }
        return ids.filter { $0.hasPrefix(prefix.lowercased()) }
    }

    static let limit = Duration.seconds(1)

    static func within(
        _ words: [String], _ ask: @escaping @Sendable (ControlClient) async throws(Problem) -> [String]
    ) async -> [String] {
        let client = ControlClient(socketPath: socket(in: words), timeout: limit)
        return await withTaskGroup(of: [String].self) { group in
            // `try?`: the command reports errors when it runs.
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
        value(of: "--socket", in: words) ?? SocketLocation.forClient(environment: environment)
    }

    private static func value(of option: String, in words: [String]) -> String? {
        for (index, word) in words.enumerated() {
            if word == option, index + 1 < words.count { return words[index + 1] }
            if word.hasPrefix("\(option)=") { return String(word.dropFirst(option.count + 1)) }
        }
        return nil
    }
}
