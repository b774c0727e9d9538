import Foundation

/// A small file, readable by its owner only. After a crash it has its old or its new content.
package struct DurableFile: Sendable, Hashable {
    package let path: String

    package init(path: String) { self.path = path }

    package var exists: Bool { access(path, F_OK) == 0 }

    /// The permission bits; nil if there is no file.
    package var mode: mode_t? {
        var info = stat()
        return stat(path, &info) == 0 ? info.st_mode & 0o7777 : nil
    }

    /// Nil if there is no file. Throws `unread` if the disk does not return the bytes.
    package func read() throws(VaultError) -> Data? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("read")
        }
        defer { close(descriptor) }
        var content = Data()
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count > 0 { content.append(contentsOf: buffer[..<count]) }
            if count == 0 { return content }
            if count < 0, errno != EINTR { throw failure("read", [EIO, EISDIR].contains(errno) ? .unread : nil) }
        }
    }

    /// Empty if the disk does not return it; nil if there is no file.
    package func readOrNothing() throws(VaultError) -> Data? {
        do { return try read() } catch {
            guard error.code == .unread else { throw error }
            return Data()
        }
    }

    /// Temporary file, fsync, rename, fsync of the folder.
    package func replace(with content: Data) throws(VaultError) {
        let temporary = try writeTemporary(content)
        guard rename(temporary, path) == 0 else { throw giveUp(temporary) }
        try syncFolder()
    }

    /// Creates the file durably; false if it exists.
    package func create(with content: Data) throws(VaultError) -> Bool {
        let temporary = try writeTemporary(content)
        guard link(temporary, path) == 0 else {
            if errno == EEXIST {
                unlink(temporary)
                return false
            }
            throw giveUp(temporary)
        }
        unlink(temporary)
        try syncFolder()
        return true
    }

    /// Durable, and needs no free space.
    package func remove() throws(VaultError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("remove") }
        try syncFolder()
    }

    /// Renames the file to `path + suffix` for later inspection; returns the new path.
    package func putAside(suffix: String) throws(VaultError) -> String {
        guard rename(path, path + suffix) == 0 else { throw failure("rename") }
        try syncFolder()
        return path + suffix
    }

    /// For its owner only, unless it exists. Durable: a crash could otherwise lose it with the files inside.
    package static func makeFolder(_ path: String) throws(VaultError) {
        let folder = DurableFile(path: path)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw folder.failure("create") }
        try folder.syncFolder()
    }

    private func writeTemporary(_ content: Data) throws(VaultError) -> String {
        let temporary = "\(path).tmp"
        unlink(temporary)  // Left by a crash; if another user owns it, the exclusive creation below fails.
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("write") }
        defer { close(descriptor) }
        var written = 0
        while written < content.count {
            let count = content.withUnsafeBytes { bytes in
                write(descriptor, bytes.baseAddress.map { $0 + written }, content.count - written)
            }
            if count > 0 { written += count }
            if count < 0, errno != EINTR { throw giveUp(temporary) }
        }
        guard fsync(descriptor) == 0 else { throw giveUp(temporary) }
        return temporary
    }

    private func syncFolder() throws(VaultError) {
        let folder = (path as NSString).deletingLastPathComponent
        let descriptor = open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("sync") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("sync") }
    }

    private func giveUp(_ temporary: String) -> VaultError {
        let error = failure("write")
        unlink(temporary)
        return error
    }

    private func failure(_ action: String, _ code: VaultError.Code? = nil) -> VaultError {
        VaultError(
            code ?? ([ENOSPC, EDQUOT].contains(errno) ? .noRoom : .fileSystem),
            "Could not \(action) \(path): \(String(cString: strerror(errno))).")
    }
}
