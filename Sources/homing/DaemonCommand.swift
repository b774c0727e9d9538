import ArgumentParser
import ControlAPI
import Foundation

/// A command that talks to the daemon: it parses its options, calls, and renders the answer.
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

/// What a command has at hand: the daemon, where to write, and what time it is.
struct Context: Sendable {
    let client: ControlClient
    let console: Console
    let times: TimeText
    let asJSON: Bool

    /// Writes the answer: the wire's JSON where asked for, else `text`.
    func answer(_ value: some Encodable, _ text: @autoclosure () -> String) {
        console.write(asJSON ? console.json(value) : text())
    }

    /// Writes the answers to things of which `several` could be named: an array, else the one answer alone.
    func answer(_ values: [some Encodable], several: Bool, _ text: @autoclosure () -> String) {
        if !asJSON {
            if !values.isEmpty { console.write(text()) }
        } else if several {
            console.write(console.json(values))
        } else if let only = values.first {
            console.write(console.json(only))
        }
    }

    /// The ids that people mean by `names`, all of them of the backend that is meant, if one is.
    func ids(_ names: [String], at target: BackendOption) async throws -> [String] {
        let ids = try await resolver.ids(names)
        guard target.backend != nil else { return ids }
        for id in ids { try target.require(id, of: try await client.call(Endpoints.entry, EntryReference(id: id)).entry.backend) }
        return ids
    }

    /// Finds the ids that people mean.
    var resolver: EntryResolver {
        EntryResolver { [client] query async throws(Problem) in try await client.call(Endpoints.entries, query) }
    }
}
