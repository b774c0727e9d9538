import Backends
import Capture
import ControlAPI
import Foundation
import Glibc

extension Configuration {
    /// Whether the daemon can listen, and make its folders or write to them; makes nothing. Mistakes go to `log`.
    func checkPlaces(_ log: MistakeLog) {
        func reject(_ key: String, _ found: String, _ expected: String) {
            // In the place of a value that is mistaken there is another one.
            guard !log.all.contains(where: { $0.file == file && $0.key == key }) else { return }
            log.add(Mistake(file: file, line: lines[key], key: key, found: found, expected: expected))
        }
        if !SocketLocation.fits(socket) {
            reject("socket", socket, "a path of at most \(SocketLocation.longest) bytes: the system takes no longer one for a socket")
        }
        let folder = "a folder that the daemon can make, or write to"
        if let obstacle = Self.obstacle(toWritingIn: stateDirectory) {
            reject("state_directory", obstacle, folder)
            // One inside it is in the way of the same thing.
            if spool.directory.hasPrefix(stateDirectory + "/") { return }
        }
        guard spool.isEnabled else { return }
        if Self.resolved(stateDirectory).starts(with: Self.resolved(spool.directory)) {
            reject("spool.directory", spool.directory, "a folder that the state directory is not in: others may write in the drop folder")
        }
        // One that is there and closed to the daemon keeps back its files alone: then `homing status` tells of them.
        let missing = Capture.Spool.rooms(of: spool.directory).filter { !FileManager.default.fileExists(atPath: $0) }
        if let obstacle = missing.lazy.compactMap(Self.obstacle(toWritingIn:)).first { reject("spool.directory", obstacle, folder) }
    }

    /// The names in a path, without links as far as it exists.
    private static func resolved(_ path: String) -> [String] {
        URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL.pathComponents
    }

    /// What keeps files from being written in a folder that may have to be made first; nil where nothing does.
    private static func obstacle(toWritingIn folder: String) -> String? {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) else {
            return obstacle(toWritingIn: URL(fileURLWithPath: folder).deletingLastPathComponent().path)
        }
        guard isFolder.boolValue else { return "\(folder), which is no folder" }
        return Glibc.access(folder, W_OK | X_OK) == 0 ? nil : "\(folder): \(String(cString: strerror(errno)))"
    }
}
