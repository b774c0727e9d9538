import ControlAPI
import Foundation

/// A folder for its owner alone, made with its first file.
struct ExportFolder {
    let path: String

    /// Throws unless `path` is missing or an empty folder.
    init(_ path: String) throws(Problem) {
        self.path = path
        var facts = stat()
        guard lstat(path, &facts) == 0 else { return }
        // `try?`: an unreadable folder is not known to be empty.
        guard facts.st_mode & S_IFMT == S_IFDIR, let names = try? FileManager.default.contentsOfDirectory(atPath: path), names.isEmpty
        else {
            throw .invalid("‘\(path.printable)’ exists already, and is not an empty folder.", next: "Name a new folder.")
        }
    }

    /// Throws if a file of this name exists.
    func write(_ data: Data, as name: String) throws(Problem) {
        if mkdir(path, 0o700) != 0 {
            guard errno == EEXIST else { throw ExportFile.failed(path, errno) }
            guard chmod(path, 0o700) == 0 else { throw ExportFile.failed(path, errno) }
        }
        try ExportFile.write(data, to: "\(path)/\(name)")
    }
}
