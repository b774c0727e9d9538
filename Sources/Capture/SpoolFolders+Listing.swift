import Files
import Glibc
import SyncModel
import SystemPackage

extension SpoolFolders {
    struct Candidate: Equatable {
        var path: FilePath
        var directory: FilePath
        var name: String
        /// Its folder below `new/users`, if any.
        var folder: FilePath?
        /// The binding left by an unfinished copy.
        var bound: TakenName?
        var modifiedAt: FileTime
        var size: Int64
        var inode: ino_t
        var device: dev_t = 0

        /// Below `new/`.
        var place: String { SpoolFolders.place(of: name, in: folder?.string) }

        func isSame(as status: stat) -> Bool { (device, inode) == (status.st_dev, status.st_ino) }
    }

    struct Entry {
        var name: FilePath
        var kind: Kind

        enum Kind { case file, folder, link, special }
    }

    /// Below `new/`, as one line; `folder` is below `new/users`, if any.
    static func place(of name: String, in folder: String?) -> String { ((folder.map { "users/\($0)/" } ?? "") + name).legible }

    /// The files, oldest first, and everything that cannot be taken.
    func survey() -> (candidates: [Candidate], unfit: [FilePath: StuckFile.Cause]) {
        var candidates: [Candidate] = []
        var unfit: [FilePath: StuckFile.Cause] = [:]
        func look(into path: FilePath, user: FilePath? = nil, _ open: () throws(FileError) -> Folder) {
            do throws(FileError) {
                let folder = try open()
                if user != nil { folder.protect() }
                for entry in try entries(in: folder) where isMeant(entry.name, in: user) { see(entry, in: folder, path, user: user) }
            } catch { unfit[path] = .unlistable(error.code) }
        }
        func see(_ entry: Entry, in folder: Folder, _ directory: FilePath, user: FilePath?) {
            let path = directory / entry.name
            switch entry.kind {
            case .file:
                if let candidate = candidate(path, entry.name, in: folder, directory, user: user) { candidates.append(candidate) }
            case .folder where path == users: look(into: path) { () throws(FileError) in try folder.folder(entry.name) }
            case .folder where directory == users:
                look(into: path, user: entry.name) { () throws(FileError) in try folder.folder(entry.name) }
            // Belongs to the file system when the folder is its root.
            case .folder: if entry.name != "lost+found" { unfit[path] = .folder }
            case .link: unfit[path] = .link
            case .special: unfit[path] = .special
            }
        }
        look(into: new) { () throws(FileError) in try folder(new) }
        return (candidates.sorted { ($0.modifiedAt, $0.name) < ($1.modifiedAt, $1.name) }, unfit)
    }

    /// By name.
    func leftovers() throws(UnusableFolder) -> [Candidate] {
        do { return try files(in: taken) } catch { throw UnusableFolder(path: taken, error: error.code) }
    }

    /// By name.
    func unclaimedFiles() throws(FileError) -> [Candidate] { try files(in: unclaimed) }

    /// The refused files by the bytes of their names: a folder can have names that are equal as strings, such as `é` in one character and
    /// in two.
    func refusedNames(in folder: Folder) throws(FileError) -> [String] {
        try entries(in: folder).filter { $0.kind == .file && isRefused($0.name.string) }.map(\.name.string)
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// False for a `.reason` file and an unfinished copy. `refuse` gives no refused file such a name.
    func isRefused(_ name: String) -> Bool { !ReasonFile.isName(name) && name != Self.draft.string }

    private func files(in directory: FilePath) throws(FileError) -> [Candidate] {
        let folder = try folder(directory)
        return try entries(in: folder).filter { $0.kind == .file && isMeant($0.name, in: nil) }
            .compactMap { candidate(directory / $0.name, $0.name, in: folder, directory, user: nil) }.sorted { $0.name < $1.name }
    }

    var userFolders: [FilePath] {
        // `try?`: the survey reports an unreadable folder.
        let found = (try? entries(in: folder(users))) ?? []
        return found.filter { $0.kind == .folder && isMeant($0.name, in: nil) }.map { users / $0.name }
    }

    private func candidate(
        _ path: FilePath, _ name: FilePath, in folder: Folder, _ directory: FilePath, user: FilePath?
    ) -> Candidate? {
        guard let status = folder.status(of: name), status.isPlain else { return nil }
        let bound = bound(name, in: user)
        return Candidate(
            path: path, directory: directory, name: bound?.original ?? name.string, folder: user, bound: bound,
            modifiedAt: FileTime(status.st_mtim), size: Int64(status.st_size), inode: status.st_ino, device: status.st_dev)
    }

    func isMeant(_ name: FilePath, in folder: FilePath?) -> Bool { name.withPlatformString { isMeant($0, in: folder) } }

    /// False for hidden and temporary names, except the daemon's bindings.
    func isMeant(_ name: UnsafePointer<CChar>, in folder: FilePath?) -> Bool {
        if strncmp(name, ".", 1) == 0 { return bound(FilePath(platformString: name), in: folder) != nil }
        let length = strlen(name)
        return !(length >= 5 && strcmp(name + length - 5, ".part") == 0) && !(length >= 4 && strcmp(name + length - 4, ".tmp") == 0)
    }

    func entries(in folder: Folder) throws(FileError) -> [Entry] {
        var found: [Entry] = []
        try list(folder) { found.append(Entry(name: FilePath(platformString: $0), kind: $1)) }
        return found
    }

    func list(_ folder: Folder, _ body: (UnsafePointer<CChar>, Entry.Kind) -> Void) throws(FileError) {
        try folder.list { name, type in
            if let kind = kind(type, FilePath(platformString: name), in: folder) { body(name, kind) }
        }
    }

    /// Nil if it has vanished.
    private func kind(_ type: Int, _ name: @autoclosure () -> FilePath, in folder: Folder) -> Entry.Kind? {
        switch type {
        case DT_REG: return .file
        case DT_DIR: return .folder
        case DT_LNK: return .link
        // Some file systems give no type.
        case DT_UNKNOWN:
            guard let status = folder.status(of: name()) else { return nil }
            return switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFLNK: .link
            default: .special
            }
        default: return .special
        }
    }
}
