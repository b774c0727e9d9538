import Files
import Foundation
import Glibc
import SystemPackage

/// The folders of a drop folder. Handles only complete, regular files. Follows no link below the root (DroppedFilesByDescriptor).
struct SpoolFolders: Sendable {
    let root, new, users, taken, refused, owners: FilePath
    /// Files dropped while signed out.
    let unclaimed: FilePath
    var rooms: [FilePath] { [new, users, taken, refused, unclaimed, owners] }
    var calls = Folder.Calls()

    init(root: String) {
        self.root = FilePath(root)
        new = self.root / "new"
        users = new / "users"
        taken = self.root / "taken"
        refused = self.root / "refused"
        owners = self.root / "owners"
        unclaimed = self.root / "unclaimed"
    }

    /// Temporary name of an unfinished copy.
    static let draft: FilePath = ".copying"

    func folder(_ path: FilePath) throws(FileError) -> Folder { try folder(path.names(below: root)) }

    private func folder(_ names: [FilePath]) throws(FileError) -> Folder {
        var folder = try Folder(root, calls: calls)
        for name in names { folder = try folder.folder(name) }
        return folder
    }

    func place(of path: FilePath) throws(FileError) -> (folder: Folder, name: FilePath) {
        var names = try path.names(below: root)
        guard let name = names.popLast() else { throw FileError(.invalidArgument, path) }
        return (try folder(names), name)
    }

    /// Creates missing folders durably. `isStart` also syncs existing ones, which a crash may have left without durable names.
    func make(isStart: Bool = false) throws {
        if !isStart, rooms.allSatisfy(exists) { return }
        try FileManager.default.createDirectory(atPath: root.string, withIntermediateDirectories: true)
        for room in rooms {
            do throws(FileError) {
                let (folder, name) = try place(of: room)
                try folder.make(name)
            } catch {
                // Other users can write in new/; the survey reports the obstacle.
                guard room == users else { throw UnusableFolder(path: room, error: error.code) }
            }
        }
        // `try?`: the daemon did not create a parent that it cannot open.
        try? Folder(root.removingLastComponent()).sync()
        for path in [root, new, owners] {
            do { try folder(path).sync() } catch { throw UnusableFolder(path: path, error: error.code) }
        }
        // Left by a crash. `try?`: later steps report an unusable folder.
        for room in [taken, refused, unclaimed, owners] { (try? folder(room))?.remove(Self.draft) }
    }

    func exists(_ path: FilePath) -> Bool { status(of: path) != nil }

    /// Does not follow a link; nil if nothing is there.
    func status(of path: FilePath) -> stat? {
        guard let (folder, name) = try? place(of: path) else { return nil }
        return folder.status(of: name)
    }

    /// True if no process has the file open for writing; nil if unknown.
    func isWhole(_ path: FilePath) -> Bool? {
        // `try?`: an unopenable file is unknown.
        guard let (folder, name) = try? place(of: path), let file = try? folder.open(name) else { return nil }
        return file.isWhole
    }

    func content(of path: FilePath, atMost limit: Int) throws(OpenFile.Unreadable) -> Data {
        let file: OpenFile
        do throws(FileError) {
            let (folder, name) = try place(of: path)
            file = try folder.open(name)
        } catch { throw error.code == .tooManySymbolicLinkLevels ? .notRegular : .system(error) }
        return try file.content(atMost: limit)
    }

    func rename(_ path: FilePath, to target: FilePath) throws(FileError) {
        let (folder, name) = try place(of: path)
        let (room, free) = try place(of: target)
        try folder.rename(name, to: room, free)
    }

    func unlink(_ path: FilePath) throws(FileError) {
        let (folder, name) = try place(of: path)
        try folder.unlink(name)
    }

    func sync(_ directories: Set<FilePath>) throws(FileError) {
        for directory in directories {
            do throws(FileError) { try folder(directory).sync() } catch {
                // Its owner may have removed or closed a user folder.
                guard directory.starts(with: users), [.noSuchFileOrDirectory, .notDirectory, .permissionDenied].contains(error.code) else {
                    throw error
                }
            }
        }
    }

    struct UnusableFolder: Error, CustomStringConvertible {
        let path: FilePath
        let error: Errno

        var description: String { "Cannot use the folder \(path): \(error). Check its owner and the disk. Nothing was lost." }
    }

    /// Moves a file to `refused/` with a `.reason` file, which also names its place below `new/`; returns its new name. On failure nothing
    /// changes.
    func refuse(_ path: FilePath, as name: String, from origin: String?, because reason: String) throws(FileError) -> String {
        // Leaves room for the prefix and `.reason`: NAME_MAX is 255 bytes.
        let name = (isRefused(name) ? name : name + "_").keepingItsEnd(bytes: 240)
        let room = try folder(refused)
        var free = name
        var number = 1
        while room.status(of: FilePath(free)) != nil || room.status(of: ReasonFile.name(of: free)) != nil {
            // Random after 9: many files may have the same name.
            number = number < 9 ? number + 1 : .random(in: 10...9_999_999)
            free = "\(number)-\(name)"
        }
        let explanation = ReasonFile.name(of: free)
        let (folder, source) = try place(of: path)
        let file = try folder.hold(source)
        guard file.status.isPlain else { throw FileError(.resourceBusy, path) }
        guard !file.status.isLinked || !path.starts(with: new) else { throw FileError(.tooManyLinks, path) }
        try room.write(ReasonFile(reason: reason, place: origin).content, to: explanation, mode: 0o666)
        do { try move(file, source, in: folder, to: room, FilePath(free)) } catch {
            room.remove(explanation)
            throw error
        }
        return free
    }
}

extension FilePath {
    fileprivate func names(below root: FilePath) throws(FileError) -> [FilePath] {
        // In C: FilePath components cost more than the system calls.
        let names: [FilePath]? = withPlatformString { path in
            let length = root.length
            guard root.withPlatformString({ strncmp(path, $0, length) }) == 0, path[length] == 0 || path[length] == CChar(0x2f) else {
                return nil
            }
            let rest = strdup(path + length)
            defer { free(rest) }
            var names: [FilePath] = []
            var place: UnsafeMutablePointer<CChar>?
            var next = strtok_r(rest, "/", &place)
            while let name = next {
                names.append(FilePath(platformString: name))
                next = strtok_r(nil, "/", &place)
            }
            return names
        }
        guard let names, !names.contains(where: { $0 == ".." }) else { throw FileError(.invalidArgument, self) }
        return names
    }
}
