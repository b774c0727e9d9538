import ArgumentParser
import ControlAPI
import Foundation

protocol DaemonCommand: AsyncParsableCommand {
    var global: GlobalOptions { get }
    func run(_ context: Context) async throws
}

extension DaemonCommand {
    mutating func run() async throws {
        let console = Console.standard(environment: ProcessInfo.processInfo.environment)
        let times = TimeText(now: Date(), timeZone: .current)
        try await run(Context(client: global.client, console: console, times: times, asJSON: global.json))
    }
}

struct Context: Sendable {
    let client: ControlClient
    let console: Console
    let times: TimeText
    let asJSON: Bool

    /// Writes the result: wire-format JSON with `--json`, otherwise `text`.
    func answer(_ value: some Encodable, _ text: @autoclosure () -> String) {
        console.write(asJSON ? console.json(value) : text())
    }

    /// Writes results: as JSON an array if `several`, otherwise the single result.
    func answer(_ values: [some Encodable], several: Bool, _ text: @autoclosure () -> String) {
        if !asJSON {
            if !values.isEmpty { console.write(text()) }
        } else if several {
            console.write(console.json(values))
        } else if let only = values.first {
            console.write(console.json(only))
        }
    }

    /// Resolves the entries in `names`; throws if one belongs to another backend than the selected one.
    func ids(_ names: [String], at target: BackendOption) async throws -> [String] {
        let ids = try await resolver.ids(names)
        guard target.backend != nil else { return ids }
        for id in ids { try target.require(id, of: try await client.call(Endpoints.entry, EntryReference(id: id)).entry.backend) }
        return ids
    }

    var resolver: EntryResolver {
        EntryResolver { [client] query async throws(Problem) in try await client.call(Endpoints.entries, query) }
    }
}
