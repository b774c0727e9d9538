import Glibc
import SystemPackage

extension SpoolFolders {
    /// A file that could be taken.
    struct Candidate: Equatable {
        var path: FilePath
        /// The folder that it is in.
        var directory: FilePath
        /// The file's own name.
        var name: String
        /// That of the folder below `new/users`, where there is one.
        var folder: FilePath?
        /// The name that it was bound to by a taking that was not finished.
        var bound: TakenName?
        var modifiedAt: FileTime
        var size: Int64
        var inode: ino_t
    }

    struct Entry {
        var name: FilePath
        var kind: Kind

        enum Kind { case file, folder, link, special }
    }

    /// Files in `new/` and `new/users/<id>/`, those first that were written first; and what lies there besides, which cannot be taken.
    func survey() -> (candidates: [Candidate], unfit: [FilePath: StuckFile.Cause]) {
        var candidates: [Candidate] = []
        var unfit: [FilePath: StuckFile.Cause] = [:]
        func look(into directory: FilePath, folder: FilePath? = nil) {
            let found: [Entry]
            do throws(Errno) { found = try entries(in: directory) } catch {
                unfit[directory] = .unlistable(error)
                return
            }
            for entry in found where isMeant(entry.name, in: folder) {
                let path = directory / entry.name
                switch entry.kind {
                case .file: if let candidate = candidate(entry.name, in: directory, folder: folder) { candidates.append(candidate) }
                case .folder where directory == users: look(into: path, folder: entry.name)
                // That one belongs to the file system, where the folder is one's root.
                case .folder: if path != users, entry.name != "lost+found" { unfit[path] = .folder }
                case .link: unfit[path] = .link
                case .special: unfit[path] = .special
                }
            }
        }
        look(into: new)
        look(into: users)
        return (candidates.sorted { ($0.modifiedAt, $0.name) < ($1.modifiedAt, $1.name) }, unfit)
    }

    /// Files that were taken and are not stored yet, by their names.
    func leftovers() throws(Errno) -> [Candidate] { try files(in: taken) }

    /// Files that no account has claimed, by their names.
    func unclaimedFiles() throws(Errno) -> [Candidate] { try files(in: unclaimed) }

    private func files(in directory: FilePath) throws(Errno) -> [Candidate] {
        try entries(in: directory).filter { $0.kind == .file && isMeant($0.name, in: nil) }
            .compactMap { candidate($0.name, in: directory, folder: nil) }.sorted { $0.name < $1.name }
    }

    var userFolders: [FilePath] {
        // `try?`: what cannot be listed is told by the survey.
        let found = (try? entries(in: users)) ?? []
        return found.filter { $0.kind == .folder && isMeant($0.name, in: nil) }.map { users / $0.name }
    }

    private func candidate(_ name: FilePath, in directory: FilePath, folder: FilePath?) -> Candidate? {
        let path = directory / name
        guard let status = status(of: path), status.st_mode & S_IFMT == S_IFREG else { return nil }
        let bound = bound(name, in: folder)
        return Candidate(
            path: path, directory: directory, name: bound?.original ?? name.string, folder: folder, bound: bound,
            modifiedAt: FileTime(status.st_mtim), size: Int64(status.st_size), inode: status.st_ino)
    }

    func isMeant(_ name: FilePath, in folder: FilePath?) -> Bool { name.withPlatformString { isMeant($0, in: folder) } }

    /// Hidden and temporary names are still being written; but for those that are ours.
    func isMeant(_ name: UnsafePointer<CChar>, in folder: FilePath?) -> Bool {
        if strncmp(name, ".", 1) == 0 { return bound(FilePath(platformString: name), in: folder) != nil }
        let length = strlen(name)
        return !(length >= 5 && strcmp(name + length - 5, ".part") == 0) && !(length >= 4 && strcmp(name + length - 4, ".tmp") == 0)
    }

    /// What is in a folder, in no order; nothing where there is no folder.
    func entries(in directory: FilePath) throws(Errno) -> [Entry] {
        var found: [Entry] = []
        try list(directory) { found.append(Entry(name: FilePath(platformString: $0), kind: $1)) }
        return found
    }

    /// Calls `body` with the name of all that is in a folder but for `.` and `..`.
    func list(_ directory: FilePath, _ body: (UnsafePointer<CChar>, Entry.Kind) -> Void) throws(Errno) {
        let folder: OpaquePointer
        do { folder = try calls.openFolder(directory) } catch {
            if error == .noSuchFileOrDirectory { return }
            throw error
        }
        defer { closedir(folder) }
        while true {
            errno = 0
            guard let entry = readdir(folder) else {
                guard errno == 0 else { throw Errno(rawValue: errno) }
                return
            }
            // By its address: the record ends behind the name, which Swift takes to have 256 bytes.
            let name = (UnsafeRawPointer(entry) + (MemoryLayout<dirent>.offset(of: \.d_name) ?? 0)).assumingMemoryBound(to: CChar.self)
            if strcmp(name, ".") == 0 || strcmp(name, "..") == 0 { continue }
            if let kind = kind(Int(entry.pointee.d_type), of: directory / FilePath(platformString: name)) { body(name, kind) }
        }
    }

    /// nil where it has vanished.
    private func kind(_ type: Int, of path: @autoclosure () -> FilePath) -> Entry.Kind? {
        switch type {
        case DT_REG: return .file
        case DT_DIR: return .folder
        case DT_LNK: return .link
        // Some file systems do not say.
        case DT_UNKNOWN:
            guard let status = status(of: path()) else { return nil }
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
