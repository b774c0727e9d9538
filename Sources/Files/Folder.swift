import CSystemLinux
import Foundation
import Glibc
import SystemPackage

/// Calls are relative to its descriptor and follow no links, so a checked folder cannot be swapped.
package final class Folder: Sendable {
    private let root: FilePath
    private let names: [FilePath]
    private let fd: Int32
    let calls: Calls

    /// Opens a folder by path and follows links.
    package convenience init(_ path: FilePath, calls: Calls = Calls()) throws(FileError) {
        try self.init(path, [], at: AT_FDCWD, follows: true, calls)
    }

    /// Opens the last of `names` at its parent, or else `root`.
    private init(_ root: FilePath, _ names: [FilePath], at: Int32, follows: Bool, _ calls: Calls) throws(FileError) {
        (self.root, self.names, self.calls) = (root, names, calls)
        let path = { names.reduce(root) { $0 / $1 } }
        try calls.check(.openFolder, path())
        fd = try FileError.check((names.last ?? root).withPlatformString { homing_open_folder(at, $0, follows ? 1 : 0) }, path(), .open)
    }

    deinit { close(fd) }

    /// The path for messages: joining a FilePath costs more than the system calls.
    package var path: FilePath { names.reduce(root) { $0 / $1 } }

    package func folder(_ name: FilePath) throws(FileError) -> Folder {
        try Folder(root, names + [name], at: fd, follows: calls.followsLinks, calls)
    }

    /// Does not follow a link; nil if nothing is there.
    package func status(of name: FilePath) -> stat? {
        // `try?`: fails only in tests.
        guard (try? calls.check(.status, path / name)) != nil else { return nil }
        var status = stat()
        return name.withPlatformString { fstatat(fd, $0, &status, AT_SYMLINK_NOFOLLOW) } == 0 ? status : nil
    }

    package var status: stat {
        var status = stat()
        fstat(fd, &status)
        return status
    }

    package func open(_ name: FilePath) throws(FileError) -> OpenFile {
        try calls.check(.open, path / name)
        let file = try FileError.check(name.withPlatformString { homing_open_regular(fd, $0) }, path / name, .open)
        return OpenFile(file, self, name)
    }

    /// Opens a file of any kind without read permission (O_PATH).
    package func hold(_ name: FilePath) throws(FileError) -> OpenFile {
        try calls.check(.hold, path / name)
        let file = try FileError.check(name.withPlatformString { homing_hold(fd, $0) }, path / name, .open)
        return OpenFile(file, self, name)
    }

    /// Throws EEXIST instead of replacing a file.
    package func rename(_ name: FilePath, to folder: Folder, _ target: FilePath) throws(FileError) {
        try calls.check(.rename, path / name, folder.path / target)
        try FileError.check(
            name.withPlatformString { name in target.withPlatformString { homing_rename_new(fd, name, folder.fd, $0) } }, path / name,
            .rename)
    }

    /// Replaces a file, atomically and durably, by way of `draft`, which is removed on failure. The umask does not change `mode`.
    package func replace(_ name: FilePath, with content: Data, mode: mode_t = 0o600, via draft: FilePath) throws(FileError) {
        // Some file systems refuse fchmod(2), and a umask leaves the owner's bits.
        try write(content, to: draft, mode: mode, isExact: mode & 0o077 != 0)
        do throws(FileError) {
            try calls.check(.rename, path / draft, path / name)
            try FileError.check(
                draft.withPlatformString { draft in name.withPlatformString { renameat(fd, draft, fd, $0) } }, path / name, .write)
        } catch {
            remove(draft)
            throw error
        }
        try sync()
    }

    /// Creates the file durably like `replace`; false if there is a file already.
    package func create(_ name: FilePath, with content: Data, via draft: FilePath) throws(FileError) -> Bool {
        try write(content, to: draft, mode: 0o600)
        // linkat(2) fails on every file system if the name exists; renameat2(2) does not.
        let result = draft.withPlatformString { draft in name.withPlatformString { linkat(fd, draft, fd, $0, 0) } }
        let code = Errno(rawValue: errno)
        remove(draft)
        if result != 0, code == .fileExists { return false }
        guard result == 0 else { throw FileError(code, path / name, .write) }
        try sync()
        return true
    }

    package func unlink(_ name: FilePath) throws(FileError) {
        try calls.check(.unlink, path / name)
        try FileError.check(name.withPlatformString { unlinkat(fd, $0, 0) }, path / name, .remove)
    }

    package func remove(_ name: FilePath) { _ = name.withPlatformString { unlinkat(fd, $0, 0) } }

    /// Succeeds if the folder exists.
    package func make(_ name: FilePath, mode: mode_t = 0o777) throws(FileError) {
        do { try FileError.check(name.withPlatformString { mkdirat(fd, $0, mode) }, path / name, .create) } catch {
            guard error.code == .fileExists else { throw error }
        }
    }

    /// Makes a folder that has exactly this mode before it has its name. Succeeds if the folder exists.
    package func make(_ name: FilePath, mode: mode_t, via draft: FilePath) throws(FileError) {
        try make(draft, mode: mode)
        do throws(FileError) {
            try folder(draft).change(to: mode)
            try rename(draft, to: self, name)
        } catch {
            _ = draft.withPlatformString { unlinkat(fd, $0, AT_REMOVEDIR) }
            guard error.code == .fileExists else { throw error }
        }
    }

    private func change(to mode: mode_t) throws(FileError) {
        let fd = try opened()
        defer { close(fd) }
        try FileError.check(fchmod(fd, mode), path, .create)
    }

    /// Syncs the file, but not its name; on failure removes it. Fails if another user owns an old file of this name.
    ///
    /// - Parameter isExact: false for `mode` minus the umask.
    package func write(_ content: Data, to name: FilePath, mode: mode_t, isExact: Bool = false) throws(FileError) {
        remove(name)
        try calls.check(.create, path / name)
        let file = try FileError.check(
            name.withPlatformString { openat(fd, $0, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode) }, path / name, .write)
        defer { close(file) }
        do throws(FileError) {
            var written = 0
            while written < content.count {
                let count = content.withUnsafeBytes { Glibc.write(file, $0.baseAddress?.advanced(by: written), $0.count - written) }
                if count < 0, errno == EINTR { continue }
                written += Int(try FileError.check(Int32(count), path / name, .write))
            }
            if isExact { try FileError.check(fchmod(file, mode), path / name, .write) }
            try FileError.check(fsync(file), path / name, .write)
        } catch {
            remove(name)
            throw error
        }
    }

    package func sync() throws(FileError) {
        let fd = try opened()
        defer { close(fd) }
        // EINVAL: some file systems, such as network ones, cannot sync folders.
        guard fsync(fd) == 0 || errno == EINVAL else { throw FileError(Errno(rawValue: errno), path, .sync) }
    }

    package func checkWritable() throws(FileError) {
        try calls.check(.access, path)
        try FileError.check(faccessat(fd, ".", W_OK, AT_EACCESS), path, .write)
    }

    /// Sets the sticky bit where others may write, so that users cannot rename or remove each other's files.
    package func protect() {
        let mode = status.st_mode
        guard mode & (S_IWGRP | S_IWOTH) != 0, mode & S_ISVTX == 0, let fd = try? opened() else { return }
        defer { close(fd) }
        fchmod(fd, mode & 0o7777 | S_ISVTX)
    }

    /// Adds an inotify watch; returns its descriptor.
    package func watch(by notifier: Int32, _ mask: Int32) throws(FileError) -> Int32 {
        try calls.check(.watch, path)
        // Not by path, which could lead to another folder by now.
        return try FileError.check(inotify_add_watch(notifier, "/proc/self/fd/\(fd)", UInt32(mask)), path, .watch)
    }

    /// Calls `body` with each name and type (`d_type`) except `.` and `..`, unordered.
    package func list(_ body: (UnsafePointer<CChar>, Int) -> Void) throws(FileError) {
        try calls.check(.list, path)
        let fd = try opened()
        guard let listing = fdopendir(fd) else {
            defer { close(fd) }
            throw FileError(Errno(rawValue: errno), path, .list)
        }
        defer { closedir(listing) }
        while true {
            errno = 0
            guard let entry = readdir(listing) else {
                guard errno == 0 else { throw FileError(Errno(rawValue: errno), path, .list) }
                return
            }
            // By address: a record may be shorter than the 256 bytes that Swift assumes.
            let name = (UnsafeRawPointer(entry) + (MemoryLayout<dirent>.offset(of: \.d_name) ?? 0)).assumingMemoryBound(to: CChar.self)
            if strcmp(name, ".") != 0, strcmp(name, "..") != 0 { body(name, Int(entry.pointee.d_type)) }
        }
    }

    /// A readable descriptor, for calls that reject O_PATH.
    private func opened() throws(FileError) -> Int32 {
        try FileError.check(openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), path, .open)
    }

    /// Test hook that can make a call fail; permission checks never stop root.
    package struct Calls: Sendable {
        package enum Kind: Sendable, CaseIterable {
            case openFolder, list, status, open, hold, lease, rename, unlink, create, access, beginWatching, watch
        }
        /// With the path, and the target of a rename.
        private let before: (@Sendable (Kind, FilePath, FilePath?) throws(FileError) -> Void)?
        /// For a test's control run only.
        package var followsLinks = false

        package init(before: (@Sendable (Kind, FilePath, FilePath?) throws(FileError) -> Void)? = nil) { self.before = before }

        package func check(
            _ kind: Kind, _ path: @autoclosure () -> FilePath, _ target: @autoclosure () -> FilePath? = nil
        ) throws(FileError) {
            try before?(kind, path(), target())
        }
    }
}

extension FilePath {
    package static func / (folder: FilePath, name: FilePath) -> FilePath { folder.pushing(name) }
    package static func / (folder: FilePath, name: String) -> FilePath { folder / FilePath(name) }
}
