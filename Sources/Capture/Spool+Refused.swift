import Files
import Foundation
import Glibc
import Outbox
import SyncModel
import SystemPackage

/// The outcome of a request to discard a refused file.
package enum RefusedFileEnd: Sendable {
    case destroyed, missing
    /// Another user dropped it.
    case othersFile
}

extension Spool {
    /// The names of refused files, in order: at most `FolderCounts.mostNames`.
    package nonisolated var refusedNames: [String] { fileCounts.refusedNames }

    /// Where these files were dropped, below `new/`, by their names in `refused/`; without those whose place is not known.
    package nonisolated var refusedPlaces: [String: String] { fileCounts.refusedPlaces }

    /// The names of all refused files, in order, or of those after `name`.
    package nonisolated func refusedNames(after name: String?) throws -> [String] {
        guard folders.exists(folders.refused) else { return [] }
        let names = try folders.refusedNames(in: folders.folder(folders.refused))
        guard let name else { return names }
        return Array(names.drop { !name.utf8.lexicographicallyPrecedes($0.utf8) })
    }

    /// Destroys a refused file and its `.reason` file, after recording an event. `owner` is the only user whose file may be destroyed, or
    /// nil for any.
    package func discardRefused(_ name: String, of owner: uid_t?, by actor: String, reason: String) async throws -> RefusedFileEnd {
        let room = try folders.folder(folders.refused)
        let (file, explanation) = (FilePath(name), FilePath(name + ".reason"))
        // By bytes: a slash and a combining mark are one character, which is not a slash.
        guard !name.utf8.contains(UInt8(ascii: "/")), !name.utf8.contains(0), let status = room.status(of: file), status.isPlain,
            room.status(of: explanation) != nil
        else { return .missing }
        guard owner == nil || owner == status.st_uid else { return .othersFile }
        try await outbox.record([SyncEvent(at: clock.now, .fileDiscarded, detail: ["file": name, "by": actor, "note": reason])])
        // Another request may have destroyed it, and a new file may have its name.
        guard let now = room.status(of: file), (now.st_ino, now.st_dev) == (status.st_ino, status.st_dev) else { return .missing }
        try room.unlink(file)
        try room.unlink(explanation)
        try room.sync()
        return .destroyed
    }
}
