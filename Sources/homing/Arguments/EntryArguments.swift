import ArgumentParser
import SyncModel

struct EntryArgument: ParsableArguments {
    static let meaning = "The entry's number, its id, or at least 4 characters from the beginning or end of the id."

    @Argument(help: ArgumentHelp(EntryArgument.meaning), completion: Suggestions.entries) var id: String

    func validate() throws {
        try Self.check(id)
    }

    static func check(_ name: String) throws {
        guard EntryName(name) == nil else { return }
        throw ValidationError(
            "‘\(name)’ is not an entry number or id. Give an entry's number, its id, or at least 4 characters from the beginning or end of the id. To find it, run: homing list"
        )
    }
}

struct EntryArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The entries' numbers, ids, or at least 4 characters from the beginning or end of each id.", valueName: "id"),
        completion: Suggestions.troubledEntries)
    var ids: [String] = []

    func validate() throws {
        for id in ids { try EntryArgument.check(id) }
    }
}
