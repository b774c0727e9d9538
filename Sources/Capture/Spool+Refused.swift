import Files
import Foundation
import Glibc
import Outbox
import SyncModel
import SystemPackage

/// The outcome of a request to discard a refused file.
package enum RefusedFileEnd: Sendable {
    case discarded, missing
    /// Another user dropped it.
    case othersFile
    /// Another file has its name by now, or it was changed.
    case changed
}

extension Spool {
    /// A page of the refused files, in order by name. `next` is the name that the next page begins after; nil at the end.
    package nonisolated func refusedFiles(
        after name: String? = nil, limit: Int
    ) throws -> (files: [(name: String, version: String)], next: String?) {
        guard folders.exists(folders.refused) else { return ([], nil) }
        let room = try folders.folder(folders.refused)
        var names = try folders.refusedNames(in: room)[...]
        if let name { names = names.drop { !name.utf8.lexicographicallyPrecedes($0.utf8) } }
        let page = names.prefix(limit)
        var files: [(name: String, version: String)] = []
        for name in page {
            // Without those that were discarded meanwhile.
            if let status = room.status(of: FilePath(name)) { files.append((name, FolderCounts.Stamp(status).text)) }
        }
        return (files, names.count > page.count ? page.last : nil)
    }

    /// Discards a refused file and its `.reason` file, after recording an event.
    ///
    /// - Parameters:
    ///   - version: of the file in `refusedFiles`; nil for any.
    ///   - owner: the only user whose file may be discarded; nil for any.
    package func discardRefused(
        _ name: String, version: String? = nil, of owner: uid_t?, by actor: String, reason: String
    ) async throws -> RefusedFileEnd {
        let room = try folders.folder(folders.refused)
        let (file, explanation) = (FilePath(name), ReasonFile.name(of: name))
        // By bytes: a slash and a combining mark are one character, which is not a slash.
        guard !name.utf8.contains(UInt8(ascii: "/")), !name.utf8.contains(0), folders.isRefused(name), let status = room.status(of: file),
            status.isPlain
        else { return .missing }
        guard owner == nil || owner == status.st_uid else { return .othersFile }
        let stamp = FolderCounts.Stamp(status)
        guard version == nil || version == stamp.text else { return .changed }
        try await outbox.record([SyncEvent(at: clock.now, .fileDiscarded, detail: ["file": name, "by": actor, "note": reason])])
        // Another request may have discarded it, and a new file may have its name.
        guard let now = room.status(of: file) else { return .missing }
        guard FolderCounts.Stamp(now) == stamp else { return .changed }
        try room.unlink(file)
        // A person may have removed it.
        if room.status(of: explanation) != nil { try room.unlink(explanation) }
        try room.sync()
        return .discarded
    }
}
