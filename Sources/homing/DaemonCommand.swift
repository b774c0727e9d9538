import ArgumentParser
import ControlAPI
import Foundation

protocol DaemonCommand: AsyncParsableCommand {
    var global: GlobalOptions { get }
    func run(_ context: Context) async throws
}

struct Context: Sendable {
    let client: ControlClient
    let console: Console
    let environment: [String: String]
    let times = TimeText(now: Date(), timeZone: .current)
    let asJSON: Bool
    private let known: RosterList?

    /// `lists` were read already, to recognise the command.
    init(_ options: GlobalOptions, console: Console, environment: [String: String], lists: RosterList? = nil) {
        client = ControlClient(socketPath: options.socket ?? SocketLocation.forClient(environment: environment))
        self.console = console
        self.environment = environment
        asJSON = options.json
        known = lists
    }

    /// The lists of one backend, or of all.
    func lists(of backend: String?) async throws(Problem) -> RosterList {
        if backend == nil, let known { return known }
        return try await client.call(Endpoints.rosters, RosterListQuery(backend: backend))
    }

    /// Writes the result: wire-format JSON with `--json`, otherwise `text`.
    func answer(_ value: some Encodable, _ text: @autoclosure () -> String) {
        console.write(asJSON ? console.json(value) : text())
    }

    /// Writes results: JSON as an array of any length; text as nothing for none.
    func answerAll(_ values: [some Encodable], _ text: @autoclosure () -> String) {
        if asJSON {
            console.write(console.json(values))
        } else if !values.isEmpty {
            console.write(text())
        }
    }

    /// The named entries in order, without duplicates. Throws for a wrong name, and for another backend than the selected one.
    func entries(_ names: [String], at target: BackendOption) async throws(Problem) -> [EntrySummary] {
        var found: [EntrySummary] = []
        for name in names {
            let entry = try await client.call(Endpoints.entry, EntryReference(id: name)).entry
            try target.require(entry.id, of: entry.backend)
            if !found.contains(where: { $0.id == entry.id }) { found.append(entry) }
        }
        return found
    }

    /// All refused files of the drop folder.
    func refusedFiles() async throws(Problem) -> [RefusedFile] {
        let query = RefusedFileQuery(limit: RefusedFileQuery.mostFiles)
        return try await query.allPages { page async throws(Problem) in try await client.call(Endpoints.refusedFiles, page) }
    }

    /// The number of refused files that are left after a discard, for its text; zero if the daemon does not answer. Once per command: it
    /// counts the files of a changed folder.
    func refusedFilesLeft() async -> Int {
        if asJSON { return 0 }
        // `try?`: the discard has succeeded all the same.
        return (try? await client.call(Endpoints.status, NoInput()).spool?.refused) ?? 0
    }

    /// All entries that the query matches, on all pages.
    func entries(_ query: EntryQuery) async throws(Problem) -> [EntrySummary] {
        try await query.allPages { page async throws(Problem) in try await client.call(Endpoints.entries, page) }
    }

    /// The ids for calls that take a name: a single name stays as it is.
    func ids(_ names: [String], at target: BackendOption) async throws(Problem) -> [String] {
        if names.count == 1, target.backend == nil { return names }
        return try await entries(names, at: target).map(\.id)
    }
}
