import CSystemLinux
import Foundation
import Glibc
import SystemPackage

/// The rooms that a drop folder consists of, and moving files between them. Only whole, regular files are touched; links are left alone.
struct SpoolFolders: Sendable {
    let root: FilePath
    var new: FilePath { root / "new" }
    var users: FilePath { new / "users" }
    var taken: FilePath { root / "taken" }
    var refused: FilePath { root / "refused" }
    /// What was dropped while no account was signed in, until a person claims it.
    var unclaimed: FilePath { root / "unclaimed" }
    var owners: FilePath { root / "owners" }
    var rooms: [FilePath] { [new, users, taken, refused, unclaimed, owners] }
    /// What a test can have refused, for root is refused nothing.
    var calls = Calls()

    init(root: String) { self.root = FilePath(root) }

    /// A copy that is not finished.
    static let draft = ".copying"

    struct Calls: Sendable {
        var rename: @Sendable (FilePath, FilePath) throws(Errno) -> Void = { (path, target) throws(Errno) in
            guard path.withPlatformString({ path in target.withPlatformString { Glibc.rename(path, $0) } }) == 0 else {
                throw Errno(rawValue: errno)
            }
        }
        var unlink: @Sendable (FilePath) throws(Errno) -> Void = { (path) throws(Errno) in
            guard path.withPlatformString(Glibc.unlink) == 0 else { throw Errno(rawValue: errno) }
        }
        /// Opens a regular file for reading.
        var open: @Sendable (FilePath) throws(Errno) -> Int32 = { (path) throws(Errno) in
            let fd = path.withPlatformString(homing_open_regular)
            guard fd >= 0 else { throw Errno(rawValue: errno) }
            return fd
        }
        var openFolder: @Sendable (FilePath) throws(Errno) -> OpaquePointer = { (path) throws(Errno) in
            guard let folder = path.withPlatformString(opendir) else { throw Errno(rawValue: errno) }
            return folder
        }
        /// Begins to watch (inotify_init1); returns the descriptor.
        var beginWatching: @Sendable () throws(Errno) -> Int32 = { () throws(Errno) in
            let fd = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
            guard fd >= 0 else { throw Errno(rawValue: errno) }
            return fd
        }
        /// Watches a folder (inotify_add_watch); returns the watch's number.
        var watch: @Sendable (Int32, FilePath, Int32) throws(Errno) -> Int32 = { (fd, path, mask) throws(Errno) in
            let descriptor = path.withPlatformString { inotify_add_watch(fd, $0, UInt32(mask)) }
            guard descriptor >= 0 else { throw Errno(rawValue: errno) }
            return descriptor
        }
    }

    /// Makes those that are missing, durably.
    ///
    /// - Parameter isStart: whoever made them before may have been cut off before their names were durable.
    func make(isStart: Bool = false) throws {
        let isDurable = !isStart && rooms.allSatisfy(exists)
        for folder in rooms { try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true) }
        if !isDurable {
            // What is durable in a folder goes with it, unless its own name is durable too. `try?`: a folder that we may not read we did not
            // make.
            try? sync([root.removingLastComponent()])
            for folder in [root, new, owners] {
                do { try sync([folder]) } catch { throw UnwritableFolder(path: folder, error: error) }
            }
        }
        // What a crash left of a copy; the file itself is where it was.
        for folder in [taken, refused, unclaimed, owners] { (folder / Self.draft).remove() }
    }

    func exists(_ path: FilePath) -> Bool { status(of: path) != nil }

    /// Of a link its own; nil where there is nothing.
    func status(of path: FilePath) -> stat? {
        var status = stat()
        return path.withPlatformString { lstat($0, &status) } == 0 ? status : nil
    }

    /// Whether no process has the file open for writing; nil where that cannot be told.
    func isWhole(_ path: FilePath) -> Bool? {
        // `try?`: a file that cannot be opened cannot be asked.
        guard let fd = try? calls.open(path) else { return nil }
        defer { close(fd) }
        return switch homing_is_open_for_writing(fd) {
        case 0: true
        case 1: false
        default: nil
        }
    }

    /// Reads a regular file; a link that has taken its place is not followed.
    func content(of path: FilePath, atMost limit: Int) throws(Unreadable) -> Data {
        let fd: Int32
        do { fd = try calls.open(path) } catch { throw error == .tooManySymbolicLinkLevels ? .notRegular : .system(error) }
        defer { close(fd) }
        var status = stat()
        guard fstat(fd, &status) == 0 else { throw .system(Errno(rawValue: errno)) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
        guard status.st_size <= limit else { throw .tooLarge(Int(status.st_size)) }
        var content = Data(count: Int(status.st_size))
        var read = 0
        while read < content.count {
            let count = content.withUnsafeMutableBytes { Glibc.read(fd, $0.baseAddress?.advanced(by: read), $0.count - read) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system(Errno(rawValue: errno)) }
            if count == 0 { return content.prefix(read) }
            read += count
        }
        return content
    }

    /// A folder of which the system does not make durable what is in it.
    struct UnwritableFolder: Error, CustomStringConvertible {
        let path: FilePath
        let error: Errno

        var description: String { "The folder \(path) of the drop folder cannot be written: \(error). Look at the disk; nothing was lost." }
    }

    /// Why a file was not read.
    enum Unreadable: Error {
        case notRegular
        /// Bytes.
        case tooLarge(Int)
        case system(Errno)
    }

    /// Makes renames in and out of these folders durable.
    func sync(_ directories: Set<FilePath>) throws(Errno) {
        for directory in directories {
            let fd = directory.withPlatformString { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
            // A user's folder may be gone once it is empty.
            if fd < 0, errno == ENOENT { continue }
            guard fd >= 0 else { throw Errno(rawValue: errno) }
            defer { close(fd) }
            // EINVAL: a file system, as of a network, that does not sync folders.
            guard fsync(fd) == 0 || errno == EINVAL else { throw Errno(rawValue: errno) }
        }
    }

    /// Puts a file aside, with the reason in a file beside it; returns the name that it has there. What fails changes nothing.
    func refuse(_ path: FilePath, as name: String, because reason: String) throws(Errno) -> String {
        // Room for the number before it and for `.reason` behind it: a name has 255 bytes at most (NAME_MAX).
        let name = name.keepingItsEnd(bytes: 240)
        var free = name
        var number = 1
        while exists(refused / free) || exists(refused / (free + ".reason")) {
            // Where many have that name, to look at each of them would take ever longer.
            number = number < 9 ? number + 1 : .random(in: 10...999_999_999)
            free = "\(number)-\(name)"
        }
        let explanation = refused / (free + ".reason")
        try write(Data("\(reason)\n".utf8), to: explanation, mode: 0o666)
        do { try move(path, to: refused / free) } catch {
            explanation.remove()
            throw error
        }
        return free
    }
}

extension FilePath {
    /// The path of what is called `name` in this folder.
    static func / (folder: FilePath, name: FilePath) -> FilePath { folder.pushing(name) }
    static func / (folder: FilePath, name: String) -> FilePath { folder / FilePath(name) }

    /// Removes a draft; where there is none, all the better.
    func remove() { _ = withPlatformString(unlink) }
}
