import ArgumentParser
import ControlAPI
import Foundation

struct ExportCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the payload of an entry, or of all undelivered entries, to files.",
        discussion: """
            For administrators. Homing records each export as an event. The files are not sealed: anyone who can read them can read the \
            measurements. They belong to you alone, and no file is replaced.

            One entry goes to standard output or to the file that --output names. On a terminal, where it would stay in view, \
            standard output needs --output -. With --json, the export also has the entry and its fields.

            With --all, --output names a new or empty folder. It gets one file for each entry, ENTRY.json, and at the end index.json \
            with all entries and their fields. Delivered and discarded entries have no payload any more.
            """)

    @Argument(
        help: "The entry's number, its id, or at least 4 characters from the beginning or end of the id.", completion: Suggestions.entries)
    var id: String?
    @Flag(help: "All entries that are not delivered or discarded.") var all = false
    @Option(
        name: .shortAndLong, help: ArgumentHelp("A new file, or ‘-’ for standard output; with --all, a folder.", valueName: "path"),
        completion: .file())
    var output: String?
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if let id { try EntryArgument.check(id) }
        if all == (id != nil) { throw ValidationError("Give either an entry or --all.") }
        if output?.isEmpty == true { throw ValidationError("--output is empty; expected a path.") }
        if all && (output == nil || output == "-") { throw ValidationError("With --all, name a new folder: --output FOLDER") }
    }

    func run(_ context: Context) async throws {
        if let id { try await one(id, context) } else if let output { try await every(to: output, context) }
    }

    private func one(_ name: String, _ context: Context) async throws {
        let file = output == "-" ? nil : output
        // First of all, because an export that fails is recorded too.
        if let file {
            try ExportFile.requireAbsent(file)
        } else if output == nil && context.console.outputIsTerminal {
            throw Problem.invalid(
                "The payload would stay in view on this terminal.",
                next: "Write it to a file: --output FILE\nTo show it here, add: --output -")
        }
        for id in try await context.ids([name], at: target) {
            let exported = try await context.client.call(Endpoints.export, EntryReference(id: id))
            guard let text = context.asJSON ? context.console.json(exported) + "\n" : exported.payload else {
                throw Problem.invalid(
                    "Entry \(EntryText.shortID(exported.entry.id)) has no payload.", next: "To export its fields, add --json.")
            }
            guard let file else { return context.console.writeRaw(text) }
            try ExportFile.write(Data(text.utf8), to: file)
            if !context.asJSON { context.console.write(ExportText.done(exported.entry, file)) }
        }
    }

    private func every(to path: String, _ context: Context) async throws {
        let folder = try ExportFolder(path)
        let entries = try await undelivered(context)
        if entries.isEmpty && !context.asJSON {
            return context.console.write("There is nothing to export: every entry is delivered or discarded.")
        }
        var index = ExportIndex(exportedAt: context.times.now)
        for entry in entries.sorted(by: { $0.sequence < $1.sequence }) {
            do throws(Problem) {
                let exported = try await context.client.call(Endpoints.export, EntryReference(id: entry.id))
                try index.add(exported, in: folder)
            } catch {
                // It was delivered or discarded meanwhile.
                if error.code == .notFound || error.code == .wrongState { continue }
                guard ExportIndex.isAboutOneEntry(error) else { throw error }
                index.add(entry, failed: error)
            }
        }
        if !index.entries.isEmpty { try folder.write(JSONCoding.encoded(index), as: ExportIndex.name) }
        context.answer(index, ExportText.done(index, path))
        if index.entries.contains(where: { $0.problem != nil }) { throw ExitCode.failure }
    }

    /// The undelivered entries. States change while the lists are read, so it reads them again until a round finds no further entry.
    private func undelivered(_ context: Context) async throws(Problem) -> [EntrySummary] {
        var found: [String: EntrySummary] = [:]
        while true {
            let before = found.count
            for state in ["inflight", "pending", "held", "dead"] {
                let query = EntryQuery(state: state, backend: target.backend, after: 0, limit: 500)
                for entry in try await context.entries(query) { found[entry.id] = entry }
            }
            if found.count == before { return Array(found.values) }
        }
    }
}
