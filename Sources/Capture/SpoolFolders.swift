import Foundation
import Glibc
import SystemPackage

/// The rooms that a drop folder consists of, and moving files between them. Only whole, plain files are touched. Below the drop folder no link is
/// followed: each folder is opened by its name in the one above it.
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
    var calls = Folder.Calls()

    init(root: String) { self.root = FilePath(root) }

    /// A copy that is not finished.
    static let draft: FilePath = ".copying"

    /// Opens a folder in the drop folder, or the drop folder itself.
    func folder(_ path: FilePath) throws(Errno) -> Folder { try folder(path.names(below: root)) }

    private func folder(_ names: [FilePath]) throws(Errno) -> Folder {
        var folder = try Folder(root, calls: calls)
        for name in names { folder = try folder.folder(name) }
        return folder
    }

    /// Opens the folder that `path` is in.
    func place(of path: FilePath) throws(Errno) -> (folder: Folder, name: FilePath) {
        var names = try path.names(below: root)
        guard let name = names.popLast() else { throw .invalidArgument }
        return (try folder(names), name)
    }

    /// Makes those that are missing, durably.
    ///
    /// - Parameter isStart: whoever made them before may have been cut off before their names were durable.
    func make(isStart: Bool = false) throws {
        let isDurable = !isStart && rooms.allSatisfy(exists)
        try FileManager.default.createDirectory(atPath: root.string, withIntermediateDirectories: true)
        for room in rooms {
            do throws(Errno) {
                let (folder, name) = try place(of: room)
                try folder.make(name)
            } catch {
                // Others may write in new/, and put something else there: the survey tells of it.
                guard room == users else { throw UnusableFolder(path: room, error: error) }
            }
        }
        if !isDurable {
            // What is durable in a folder goes with it, unless its own name is durable too. `try?`: a folder that we may not read we did not
            // make.
            try? Folder(root.removingLastComponent()).sync()
            for path in [root, new, owners] {
                do { try folder(path).sync() } catch { throw UnusableFolder(path: path, error: error) }
            }
        }
        // What a crash left of a copy; the file itself is where it was. `try?`: a room that cannot be opened is told of where it is needed.
        for room in [taken, refused, unclaimed, owners] { (try? folder(room))?.remove(Self.draft) }
    }

    func exists(_ path: FilePath) -> Bool { status(of: path) != nil }

    /// Of a link its own; nil where there is nothing.
    func status(of path: FilePath) -> stat? {
        guard let (folder, name) = try? place(of: path) else { return nil }
        return folder.status(of: name)
    }

    /// Whether no process has the file open for writing; nil where that cannot be told.
    func isWhole(_ path: FilePath) -> Bool? {
        // `try?`: a file that cannot be opened cannot be asked.
        guard let (folder, name) = try? place(of: path), let file = try? folder.open(name) else { return nil }
        return file.isWhole
    }

    func content(of path: FilePath, atMost limit: Int) throws(OpenFile.Unreadable) -> Data {
        let file: OpenFile
        do throws(Errno) {
            let (folder, name) = try place(of: path)
            file = try folder.open(name)
        } catch { throw error == .tooManySymbolicLinkLevels ? .notRegular : .system(error) }
        return try file.content(atMost: limit)
    }

    /// Renames a file of one of our own rooms to another of them.
    func rename(_ path: FilePath, to target: FilePath) throws(Errno) {
        let (folder, name) = try place(of: path)
        let (room, free) = try place(of: target)
        try folder.rename(name, to: room, free)
    }

    func unlink(_ path: FilePath) throws(Errno) {
        let (folder, name) = try place(of: path)
        try folder.unlink(name)
    }

    /// Makes renames in and out of these folders durable.
    func sync(_ directories: Set<FilePath>) throws(Errno) {
        for directory in directories {
            do throws(Errno) { try folder(directory).sync() } catch {
                // A user's folder may be gone once it is empty, or be closed to us by its owner.
                guard directory.starts(with: users), [.noSuchFileOrDirectory, .notDirectory, .permissionDenied].contains(error) else {
                    throw error
                }
            }
        }
    }

    /// A folder that cannot be opened, made, listed or made durable.
    struct UnusableFolder: Error, CustomStringConvertible {
        let path: FilePath
        let error: Errno

        var description: String { "The folder \(path) cannot be used: \(error). Check who owns it, and the disk; nothing was lost." }
    }

    /// Puts a file aside, with the reason in a file beside it; returns the name that it has there. What fails changes nothing.
    func refuse(_ path: FilePath, as name: String, because reason: String) throws(Errno) -> String {
        // Room for the number before it and for `.reason` behind it: a name has 255 bytes at most (NAME_MAX).
        let name = name.keepingItsEnd(bytes: 240)
        let room = try folder(refused)
        var free = name
        var number = 1
        while room.status(of: FilePath(free)) != nil || room.status(of: FilePath(free + ".reason")) != nil {
            // Where many have that name, to look at each of them would take ever longer.
            number = number < 9 ? number + 1 : .random(in: 10...999_999_999)
            free = "\(number)-\(name)"
        }
        let explanation = FilePath(free + ".reason")
        let (folder, source) = try place(of: path)
        let file = try folder.hold(source)
        guard file.status.isPlain else { throw .resourceBusy }
        guard !file.status.isLinked || !path.starts(with: new) else { throw .tooManyLinks }
        try room.write(Data("\(reason)\n".utf8), to: explanation, mode: 0o666)
        do { try move(file, source, in: folder, to: room, FilePath(free)) } catch {
            room.remove(explanation)
            throw error
        }
        return free
    }
}

extension FilePath {
    /// The names on the way from `root` to this path, one for each step.
    fileprivate func names(below root: FilePath) throws(Errno) -> [FilePath] {
        // By bytes: FilePath's own components cost more than the calls of the system.
        let path = withPlatformString { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
        let start = root.withPlatformString { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
        guard path.starts(with: start), path.count == start.count || path[start.count] == UInt8(ascii: "/") else { throw .invalidArgument }
        let names = path[start.count...].split(separator: UInt8(ascii: "/"))
        guard !names.contains(where: { $0.elementsEqual("..".utf8) }) else { throw .invalidArgument }
        return names.map { FilePath(platformString: $0.map(CChar.init(bitPattern:)) + [0]) }
    }
}
