import Foundation
import Glibc
import JSON
import SyncModel
import SystemPackage

/// Capture times, cached while a file is unchanged.
struct CaptureTimes {
    private struct Reading {
        var inode: ino_t
        var modifiedAt: FileTime
        var size: Int64
        var capturedAt: Date?
    }
    private var known: [FilePath: Reading] = [:]

    mutating func time(of file: SpoolFolders.Candidate, in folders: SpoolFolders) -> Date? {
        if let reading = known[file.path], (reading.inode, reading.modifiedAt, reading.size) == (file.inode, file.modifiedAt, file.size) {
            return reading.capturedAt
        }
        // `try?`: taking the file reports why it has no time.
        let content = try? folders.content(of: file.path, atMost: Mutation.largestPayload)
        let time = content.flatMap { JSONDocument($0)?.root.captureTime }
        known[file.path] = Reading(inode: file.inode, modifiedAt: file.modifiedAt, size: file.size, capturedAt: time)
        return time
    }

    mutating func keep(_ files: some Sequence<SpoolFolders.Candidate>) {
        guard !known.isEmpty else { return }
        let there = Set(files.map(\.path))
        known = known.filter { there.contains($0.key) }
    }
}

extension Spool {
    /// By capture time, else file time; then by name.
    func inOrder(_ files: some Collection<SpoolFolders.Candidate>) -> [SpoolFolders.Candidate] {
        guard files.count > 1 else { return Array(files) }
        let now = clock.now
        return files.map { file in
            (file: file, time: times.time(of: file, in: folders)?.asCaptureTime(at: now) ?? file.modifiedAt.date)
        }.sorted {
            ($0.time, $0.file.modifiedAt, $0.file.name) < ($1.time, $1.file.modifiedAt, $1.file.name)
        }.map(\.file)
    }
}
