import CSystemLinux
import Foundation
import Glibc
import SyncModel

/// The drop folder's three rooms, and moving files between them. Only whole, regular files are touched; links are left alone.
struct SpoolFolders: Sendable {
    let root: String
    var new: String { root + "/new" }
    var users: String { new + "/users" }
    var taken: String { root + "/taken" }
    var refused: String { root + "/refused" }

    /// A file that could be taken.
    struct Candidate: Equatable {
        var path: String
        var name: String
        var folder: String?
        /// Nanoseconds since 1970.
        var modifiedAt: Int64
        var size: Int64
    }

    func make() throws {
        for folder in [new, users, taken, refused] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
    }

    /// Files in `new/` and `new/users/<id>/`, oldest first, then by name. Hidden and temporary names are still being written.
    func candidates() -> [Candidate] {
        var found = files(in: new, folder: nil)
        for user in names(in: users) where !user.hasPrefix(".") { found += files(in: users + "/" + user, folder: user) }
        return found.sorted { ($0.modifiedAt, $0.name) < ($1.modifiedAt, $1.name) }
    }

    /// Files that were taken by a run that did not get to store them.
    func leftovers() -> [Candidate] { files(in: taken, folder: nil).sorted { $0.name < $1.name } }

    var userFolders: [String] { names(in: users).map { users + "/" + $0 } }

    /// Files in `refused/`, without the reasons beside them.
    func refusedCount() -> Int {
        let all = Set(names(in: refused))
        return all.count { all.contains($0 + ".reason") }
    }

    private func files(in directory: String, folder: String?) -> [Candidate] {
        names(in: directory).compactMap { name in
            guard !name.hasPrefix("."), !name.hasSuffix(".part"), !name.hasSuffix(".tmp") else { return nil }
            let path = directory + "/" + name
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
            let modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
            return Candidate(path: path, name: name, folder: folder, modifiedAt: modified, size: Int64(status.st_size))
        }
    }

    private func names(in directory: String) -> [String] {
        // `try?`: a folder that vanished holds nothing.
        (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    }

    /// Whether no process has the file open for writing; nil where that cannot be told.
    func isWhole(_ path: String) -> Bool? {
        let fd = homing_open_regular(path)
        guard fd >= 0 else { return nil }
        defer { close(fd) }
        return switch homing_is_open_for_writing(fd) {
        case 0: true
        case 1: false
        default: nil
        }
    }

    /// Reads a regular file; a link that has taken its place is not followed.
    func content(of path: String, atMost limit: Int) throws(Unreadable) -> Data {
        let fd = homing_open_regular(path)
        guard fd >= 0 else { throw errno == ELOOP ? .notRegular : .system(Errno(errno)) }
        defer { close(fd) }
        var status = stat()
        guard fstat(fd, &status) == 0 else { throw .system(Errno(errno)) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
        guard status.st_size <= limit else { throw .tooLarge(Int(status.st_size)) }
        var content = Data(count: Int(status.st_size))
        var read = 0
        while read < content.count {
            let count = content.withUnsafeMutableBytes { Glibc.read(fd, $0.baseAddress?.advanced(by: read), $0.count - read) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system(Errno(errno)) }
            if count == 0 { return content.prefix(read) }
            read += count
        }
        return content
    }

    /// Why a file was not read.
    enum Unreadable: Error {
        case notRegular
        /// Bytes.
        case tooLarge(Int)
        case system(Errno)
    }

    func move(_ path: String, to target: String) throws(Errno) {
        guard rename(path, target) == 0 else { throw Errno(errno) }
    }

    /// Makes renames in and out of these folders durable.
    func sync(_ directories: Set<String>) throws(Errno) {
        for directory in directories {
            let fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard fd >= 0 else { throw Errno(errno) }
            defer { close(fd) }
            guard fsync(fd) == 0 else { throw Errno(errno) }
        }
    }

    /// Puts a file aside, with the reason in a file beside it; returns the name that it has there.
    func refuse(_ path: String, as name: String, because reason: String) throws -> String {
        // Room for the number before it and for `.reason` behind it: a name has 255 bytes at most (NAME_MAX).
        let name = name.keepingItsEnd(bytes: 240)
        let all = Set(names(in: refused))
        var free = name
        var number = 1
        while all.contains(free) || all.contains(free + ".reason") {
            number += 1
            free = "\(number)-\(name)"
        }
        try Data("\(reason)\n".utf8).write(to: URL(fileURLWithPath: refused + "/" + free + ".reason"))
        try move(path, to: refused + "/" + free)
        return free
    }

    /// A system error, in the system's words.
    struct Errno: Error, CustomStringConvertible {
        let code: Int32
        init(_ code: Int32) { self.code = code }
        var description: String { String(cString: strerror(code)) }
    }
}
