import Foundation
import Glibc
import SyncModel
import SystemPackage

/// Files that were incomplete when first seen.
struct UnfinishedFiles {
    private struct Sighting {
        var inode: ino_t
        var size: Int64
        var modifiedAt: FileTime
        /// By the daemon's clock, because file times can be anything.
        var unchangedSince: Date
        /// The account at the first sighting; nil if signed out.
        var owner: Destination?
    }
    private var known: [FilePath: Sighting] = [:]

    /// Survives a restart.
    private struct Record: Codable {
        var path: FilePath
        var inode: UInt64
        var backend: String?
        var account: String?
    }

    init() {}

    init(written: Data, at now: Date) {
        // `try?`: nothing was saved yet.
        for record in (try? JSONDecoder().decode([Record].self, from: written)) ?? [] {
            let owner = record.backend.flatMap { backend in
                record.account.map { Destination(backend: backend, account: AccountID($0)) }
            }
            known[record.path] = Sighting(
                inode: ino_t(record.inode), size: -1, modifiedAt: FileTime(seconds: 0), unchangedSince: now, owner: owner)
        }
    }

    /// The files of accounts other than `present`; empty for none.
    func written(besides present: Destination?) -> Data {
        let records = known.filter { $0.value.owner != present }.sorted { $0.key.string < $1.key.string }.map { path, sighting in
            Record(
                path: path, inode: UInt64(sighting.inode), backend: sighting.owner?.backend, account: sighting.owner?.account.rawValue)
        }
        // `try?`: these values always encode.
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return records.isEmpty ? Data() : (try? encoder.encode(records)) ?? Data()
    }

    var isWaiting: Bool { !known.isEmpty }

    /// Returns how many seconds the file has not changed.
    mutating func note(_ file: SpoolFolders.Candidate, owner: Destination?, at now: Date) -> TimeInterval {
        var sighting = Sighting(inode: file.inode, size: file.size, modifiedAt: file.modifiedAt, unchangedSince: now, owner: owner)
        if let before = known[file.path], before.inode == file.inode {
            sighting.owner = before.owner
            if (before.size, before.modifiedAt) == (file.size, file.modifiedAt) {
                sighting.unchangedSince = before.unchangedSince.unlessAhead(of: now) ?? now
            }
        }
        known[file.path] = sighting
        return now.timeIntervalSince(sighting.unchangedSince)
    }

    /// `otherwise` if the file was not seen incomplete.
    func owner(of file: SpoolFolders.Candidate, otherwise: Destination?) -> Destination? {
        guard let sighting = known[file.path], sighting.inode == file.inode else { return otherwise }
        return sighting.owner
    }

    mutating func forget(_ path: FilePath) { known[path] = nil }

    mutating func keep(_ files: some Sequence<SpoolFolders.Candidate>) {
        guard !known.isEmpty else { return }
        let there = Set(files.map(\.path))
        known = known.filter { there.contains($0.key) }
    }
}
