import ControlAPI
import Foundation
import Glibc

/// A file of any size for its owner alone. It gets its name once it is complete and on the disk.
struct UnfinishedFile {
    private let path: String
    /// Where it is until then. An interrupted command leaves it, and the next one replaces it.
    let draft: String
    private let handle: FileHandle

    /// Throws if something of this name exists, unless that is a file and `replaces` is true.
    init(_ path: String, replaces: Bool) throws(Problem) {
        var facts = stat()
        if lstat(path, &facts) == 0 {
            guard facts.st_mode & S_IFMT == S_IFREG else {
                throw .invalid("‘\(path.printable)’ exists already, and is not a file.", next: "Name a new file.")
            }
            guard replaces else {
                throw .invalid("‘\(path.printable)’ exists already.", next: "Name a new file, or add --force to replace this one.")
            }
        }
        (self.path, draft) = (path, path + ".unfinished")
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw ExportFile.failed(path, errno) }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    func write(_ part: Data) throws(Problem) {
        var rest = part[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(handle.fileDescriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw ExportFile.failed(path, errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Durable when it returns.
    func finish() throws(Problem) {
        do { try handle.synchronize() } catch { throw ExportFile.failed(path, "\(error)") }
        guard isOurs else { throw ExportFile.failed(path, "another command is writing it", next: "Wait for it, or name another file.") }
        guard rename(draft, path) == 0 else { throw ExportFile.failed(path, errno) }
        let parent = (path as NSString).deletingLastPathComponent
        let folder = open(parent.isEmpty ? "." : parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw ExportFile.failed(path, errno) }
        defer { close(folder) }
        // EINVAL: some file systems, such as network ones, cannot sync folders.
        guard fsync(folder) == 0 || errno == EINVAL else { throw ExportFile.failed(path, errno) }
    }

    func discard() { if isOurs { unlink(draft) } }

    /// False if another command has replaced the draft.
    private var isOurs: Bool {
        var (own, named) = (stat(), stat())
        return fstat(handle.fileDescriptor, &own) == 0 && lstat(draft, &named) == 0
            && (own.st_dev, own.st_ino) == (named.st_dev, named.st_ino)
    }
}
