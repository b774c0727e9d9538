import SyncModel

extension String {
    /// The daemon's sentence with the short ids of entries, as lists show them.
    package var withShortIDs: String {
        replacing(Self.entryID) { "\($0.output.1)\(EntryName.short(String($0.output.2)))" }
    }

    /// Only where an entry must be meant: elsewhere, such as after `--delivered`, it may be the id of a row at the server, and `--id` and
    /// `--supersedes` take whole ids only.
    ///
    /// `nonisolated(unsafe)`: `Regex` is not `Sendable`, because others may have closures. This one is a constant.
    private nonisolated(unsafe) static let entryID =
        /([Ee]ntry |ahead of it; the first is |homing (?:show|why|retry|fix|resolve|discard|undo|export|receipt) |@)([0-9a-f]{8}-[0-9a-f-]{27})(?![\w\/-]|\.\w)/
}
