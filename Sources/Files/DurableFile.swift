import Foundation
import Glibc
import SystemPackage

/// A small file, by default readable by its owner only. After a crash it has its old or its new content.
package struct DurableFile: Sendable, Hashable {
    package let path: String

    package init(path: String) { self.path = path }

    package var exists: Bool { access(path, F_OK) == 0 }

    /// The permission bits; nil if there is no file.
    package var mode: mode_t? { status.map { $0.st_mode & 0o7777 } }

    /// True for a symbolic link.
    package var isLink: Bool {
        var info = stat()
        return lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFLNK
    }

    /// Nil if there is no file.
    package var owner: uid_t? { status?.st_uid }

    /// True if only root or the daemon's user can change the content as the file's owner, or if there is no file.
    package func isOwned(byRootOr daemon: uid_t = geteuid()) -> Bool { status?.isOwned(byRootOr: daemon) ?? true }

    /// True for a regular file, or a link to one, of at most this many bytes. A device or a pipe could be read for ever.
    package func isPlain(upTo bytes: Int) -> Bool { status.map { $0.isPlain && $0.st_size <= bytes } ?? false }

    private var status: stat? {
        var info = stat()
        return stat(path, &info) == 0 ? info : nil
    }

    /// Throws for a link.
    package func opened() throws(FileError) -> OpenFile { try folder().open(name) }

    /// Nil if there is no file. With a limit in bytes, throws for a larger file, and for one that is not regular, which another user may
    /// have put there.
    package func read(upTo limit: Int? = nil) throws(FileError) -> Data? {
        // A pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | (limit == nil ? 0 : O_NONBLOCK))
        if descriptor < 0, errno == ENOENT { return nil }
        try FileError.check(descriptor, FilePath(path), .open)
        defer { close(descriptor) }
        var info = stat()
        if limit != nil, fstat(descriptor, &info) == 0, !info.isPlain {
            throw FileError(info.st_mode & S_IFMT == S_IFDIR ? .isDirectory : .invalidArgument, FilePath(path), .read)
        }
        var content = Data()
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count > 0 { content.append(contentsOf: buffer[..<count]) }
            if let limit, content.count > limit { throw FileError(.fileTooLarge, FilePath(path), .read) }
            if count == 0 { return content }
            if count < 0, errno != EINTR { throw FileError(Errno(rawValue: errno), FilePath(path), .read) }
        }
    }

    /// Reads the file; empty if the disk does not return the bytes, the path is a folder, or the file exceeds the limit.
    package func readOrNothing(upTo limit: Int? = nil) throws(FileError) -> Data? {
        do { return try read(upTo: limit) } catch {
            let isNothing = [.ioError, .isDirectory, .invalidArgument, .fileTooLarge].contains(error.code)
            guard error.action == .read, isNothing else { throw error }
            return Data()
        }
    }

    /// Atomic and durable. The file has `mode` before it has its name.
    package func replace(with content: Data, mode: mode_t = 0o600) throws(FileError) {
        try folder().replace(name, with: content, mode: mode, via: draft)
    }

    /// Creates the file durably; false if it exists.
    package func create(with content: Data) throws(FileError) -> Bool {
        try folder().create(name, with: content, via: draft)
    }

    /// Durable, and needs no free space. Succeeds if there is no file.
    package func remove() throws(FileError) {
        let folder = try folder()
        do { try folder.unlink(name) } catch { guard error.code == .noSuchFileOrDirectory else { throw error } }
        try folder.sync()
    }

    /// Renames the file, of any size, over `other`. Durable.
    package func move(to other: String) throws(FileError) {
        try FileError.check(rename(path, other), FilePath(path), .rename)
        for file in [self, DurableFile(path: other)] { try file.folder().sync() }
    }

    /// Makes the content durable that another writer left in the file, which may have any size.
    package func sync() throws(FileError) {
        let descriptor = try FileError.check(open(path, O_RDONLY | O_CLOEXEC), FilePath(path), .open)
        defer { close(descriptor) }
        try FileError.check(fsync(descriptor), FilePath(path), .sync)
    }

    /// Makes a folder for its owner only. Durable: a crash could otherwise lose it with the files inside.
    package static func makeFolder(_ path: String) throws(FileError) {
        let place = DurableFile(path: path)
        let folder = try place.folder()
        try folder.make(place.name, mode: 0o700)
        try folder.sync()
    }

    /// Makes a folder that has exactly this mode before it has its name. Durable.
    package static func makeFolder(_ path: String, mode: mode_t) throws(FileError) {
        let place = DurableFile(path: path)
        let folder = try place.folder()
        try folder.make(place.name, mode: mode, via: place.draft)
        try folder.sync()
    }

    private var name: FilePath { FilePath((path as NSString).lastPathComponent) }
    private var draft: FilePath { FilePath((path as NSString).lastPathComponent + ".tmp") }

    private func folder() throws(FileError) -> Folder {
        let folder = (path as NSString).deletingLastPathComponent
        return try Folder(folder.isEmpty ? "." : FilePath(folder))
    }
}
