import Foundation

/// A small file, readable by its owner only, that a crash leaves either as it was or as it was meant to be.
package struct DurableFile: Sendable, Hashable {
    package let path: String

    package init(path: String) { self.path = path }

    package var exists: Bool { access(path, F_OK) == 0 }

    /// The permission bits; nil where there is no file.
    package var mode: mode_t? {
        var info = stat()
        return stat(path, &info) == 0 ? info.st_mode & 0o7777 : nil
    }

    /// The whole content; nil where there is no file. Throws `unread` where it can be opened and the disk does not give it.
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

    /// The content, nothing where the disk does not give it; nil where there is no file.
    package func readOrNothing() throws(VaultError) -> Data? {
        do { return try read() } catch {
            guard error.code == .unread else { throw error }
            return Data()
        }
    }

    /// Replaces the content durably: temporary file, fsync, rename, fsync of the folder.
    package func replace(with content: Data) throws(VaultError) {
        let temporary = try writeTemporary(content)
        guard rename(temporary, path) == 0 else { throw giveUp(temporary) }
        try syncFolder()
    }

    /// Makes the file durably; false, and nothing changed, where there is one already.
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

    /// Removes the file durably, where there is one. That needs no room on the disk.
    package func remove() throws(VaultError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("remove") }
        try syncFolder()
    }

    /// Renames the file to `path + suffix`, so that it can be looked at later, and returns the new path.
    package func putAside(suffix: String) throws(VaultError) -> String {
        guard rename(path, path + suffix) == 0 else { throw failure("put aside") }
        try syncFolder()
        return path + suffix
    }

    /// Makes a folder for its owner only, where there is none, durably: what is durable in it would else go with it.
    package static func makeFolder(_ path: String) throws(VaultError) {
        let folder = DurableFile(path: path)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw folder.failure("make") }
        try folder.syncFolder()
    }

    private func writeTemporary(_ content: Data) throws(VaultError) -> String {
        let temporary = "\(path).tmp"
        unlink(temporary)  // What a crash left; where it is somebody's, the exclusive creation below fails.
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
