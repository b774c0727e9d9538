import CSystemLinux
import Foundation
import Glibc
import SystemPackage

/// An open folder. Calls are relative to its descriptor and follow no links, so a checked folder cannot be swapped.
final class Folder: Sendable {
    /// For messages only.
    let path: FilePath
    private let fd: Int32
    private let calls: Calls

    /// Opens a folder by path and follows links.
    convenience init(_ path: FilePath, calls: Calls = Calls()) throws(Errno) {
        try self.init(path, at: AT_FDCWD, path, follows: true, calls)
    }

    private init(_ path: FilePath, at: Int32, _ name: FilePath, follows: Bool, _ calls: Calls) throws(Errno) {
        (self.path, self.calls) = (path, calls)
        try calls.before(.openFolder, path, nil)
        fd = try Self.checked(name.withPlatformString { homing_open_folder(at, $0, follows ? 1 : 0) })
    }

    deinit { close(fd) }

    func folder(_ name: FilePath) throws(Errno) -> Folder {
        try Folder(path / name, at: fd, name, follows: calls.followsLinks, calls)
    }

    /// Does not follow a link; nil if nothing is there.
    func status(of name: FilePath) -> stat? {
        // `try?`: fails only in tests.
        guard (try? calls.before(.status, path / name, nil)) != nil else { return nil }
        var status = stat()
        return name.withPlatformString { fstatat(fd, $0, &status, AT_SYMLINK_NOFOLLOW) } == 0 ? status : nil
    }

    var status: stat {
        var status = stat()
        fstat(fd, &status)
        return status
    }

    func open(_ name: FilePath) throws(Errno) -> OpenFile {
        try calls.before(.open, path / name, nil)
        return OpenFile(try Self.checked(name.withPlatformString { homing_open_regular(fd, $0) }), path / name, calls)
    }

    /// Opens a file of any kind without read permission (O_PATH).
    func hold(_ name: FilePath) throws(Errno) -> OpenFile {
        try calls.before(.hold, path / name, nil)
        return OpenFile(try Self.checked(name.withPlatformString { homing_hold(fd, $0) }), path / name, calls)
    }

    /// Throws EEXIST instead of replacing a file.
    func rename(_ name: FilePath, to folder: Folder, _ target: FilePath) throws(Errno) {
        try calls.before(.rename, path / name, folder.path / target)
        _ = try Self.checked(
            name.withPlatformString { name in target.withPlatformString { homing_rename_new(fd, name, folder.fd, $0) } })
    }

    /// Renames over an existing file.
    func replace(_ target: FilePath, with name: FilePath) throws(Errno) {
        try calls.before(.rename, path / name, path / target)
        _ = try Self.checked(name.withPlatformString { name in target.withPlatformString { renameat(fd, name, fd, $0) } })
    }

    func unlink(_ name: FilePath) throws(Errno) {
        try calls.before(.unlink, path / name, nil)
        _ = try Self.checked(name.withPlatformString { unlinkat(fd, $0, 0) })
    }

    func remove(_ name: FilePath) { _ = name.withPlatformString { unlinkat(fd, $0, 0) } }

    /// Succeeds if the folder exists.
    func make(_ name: FilePath) throws(Errno) {
        do { _ = try Self.checked(name.withPlatformString { mkdirat(fd, $0, 0o777) }) } catch {
            guard error == .fileExists else { throw error }
        }
    }

    /// Durable; on failure removes the file.
    func write(_ content: Data, to name: FilePath, mode: mode_t) throws(Errno) {
        remove(name)
        try calls.before(.create, path / name, nil)
        let file = try Self.checked(
            name.withPlatformString { openat(fd, $0, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode) })
        defer { close(file) }
        do throws(Errno) {
            var written = 0
            while written < content.count {
                let count = content.withUnsafeBytes { Glibc.write(file, $0.baseAddress?.advanced(by: written), $0.count - written) }
                if count < 0, errno == EINTR { continue }
                written += Int(try Self.checked(Int32(count)))
            }
            _ = try Self.checked(fsync(file))
        } catch {
            remove(name)
            throw error
        }
    }

    func sync() throws(Errno) {
        let fd = try opened()
        defer { close(fd) }
        // EINVAL: some file systems, such as network ones, cannot sync folders.
        guard fsync(fd) == 0 || errno == EINVAL else { throw Errno(rawValue: errno) }
    }

    func checkWritable() throws(Errno) {
        try calls.before(.access, path, nil)
        _ = try Self.checked(faccessat(fd, ".", W_OK, AT_EACCESS))
    }

    /// Sets the sticky bit where others may write, so that users cannot rename or remove each other's files.
    func protect() {
        let mode = status.st_mode
        guard mode & (S_IWGRP | S_IWOTH) != 0, mode & S_ISVTX == 0, let fd = try? opened() else { return }
        defer { close(fd) }
        fchmod(fd, mode & 0o7777 | S_ISVTX)
    }

    /// Adds an inotify watch; returns its descriptor.
    func watch(by notifier: Int32, _ mask: Int32) throws(Errno) -> Int32 {
        try calls.before(.watch, path, nil)
        // Not by path, which could lead to another folder by now.
        return try Self.checked(inotify_add_watch(notifier, "/proc/self/fd/\(fd)", UInt32(mask)))
    }

    /// Calls `body` with each name and type (`d_type`) except `.` and `..`, unordered.
    func list(_ body: (UnsafePointer<CChar>, Int) -> Void) throws(Errno) {
        try calls.before(.list, path, nil)
        let fd = try opened()
        guard let listing = fdopendir(fd) else {
            defer { close(fd) }
            throw Errno(rawValue: errno)
        }
        defer { closedir(listing) }
        while true {
            errno = 0
            guard let entry = readdir(listing) else {
                guard errno == 0 else { throw Errno(rawValue: errno) }
                return
            }
            // By address: a record may be shorter than the 256 bytes that Swift assumes.
            let name = (UnsafeRawPointer(entry) + (MemoryLayout<dirent>.offset(of: \.d_name) ?? 0)).assumingMemoryBound(to: CChar.self)
            if strcmp(name, ".") != 0, strcmp(name, "..") != 0 { body(name, Int(entry.pointee.d_type)) }
        }
    }

    /// A readable descriptor, for calls that reject O_PATH.
    private func opened() throws(Errno) -> Int32 { try Self.checked(openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) }

    static func checked(_ result: Int32) throws(Errno) -> Int32 {
        guard result >= 0 else { throw Errno(rawValue: errno) }
        return result
    }

    /// Test hook before each call, which can make it fail; permission checks never stop root.
    struct Calls: Sendable {
        enum Kind: Sendable, CaseIterable {
            case openFolder, list, status, open, hold, lease, rename, unlink, create, access, beginWatching, watch
        }
        /// With the path, and the target of a rename.
        var before: @Sendable (Kind, FilePath, FilePath?) throws(Errno) -> Void = { _, _, _ in }
        /// For a test's control run only.
        var followsLinks = false
    }
}

extension FilePath {
    static func / (folder: FilePath, name: FilePath) -> FilePath { folder.pushing(name) }
    static func / (folder: FilePath, name: String) -> FilePath { folder / FilePath(name) }
}
