import Backends
import Capture
import ControlAPI
import Files
import Foundation
import Glibc

extension Configuration {
    /// Checks the daemon's folders and socket without creating anything.
    func checkPlaces(_ mistakes: MistakeCollector) {
        func reject(_ key: String, _ found: String, _ expected: String) {
            // An invalid value was replaced by its default.
            guard !mistakes.all.contains(where: { files.contains($0.file) && $0.key == key }) else { return }
            let place = keyPlaces[key]
            mistakes.add(Mistake(file: place?.file ?? file, line: place?.line, key: key, found: found, expected: expected))
        }
        if !SocketLocation.fits(socket) {
            reject("socket", socket, "a path of at most \(SocketLocation.longest) bytes, the system’s limit for a socket")
        }
        let folder = "a folder that the daemon can create or write to"
        if let obstacle = Self.obstacle(toWritingIn: stateDirectory) {
            reject("state_directory", obstacle, folder)
            // A folder inside it has the same problem.
            if spool.directory.hasPrefix(stateDirectory + "/") { return }
        }
        guard spool.isEnabled else { return }
        if Self.resolved(stateDirectory).starts(with: Self.resolved(spool.directory)) {
            reject(
                "spool.directory", spool.directory,
                "a folder that does not contain the state directory, because others may write to the drop folder")
        }
        // An inaccessible folder affects only its files; `homing status` reports it.
        let missing = Spool.rooms(of: spool.directory).filter { !FileManager.default.fileExists(atPath: $0) }
        if let obstacle = missing.lazy.compactMap(Self.obstacle(toWritingIn:)).first { reject("spool.directory", obstacle, folder) }
    }

    /// Checks that only owners and groups can change the configuration, the profiles and the state directory.
    func checkWriters(_ mistakes: MistakeCollector) {
        // `try?`: reading the profiles reports a folder that cannot be read.
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: backends)) ?? []).filter { $0.hasSuffix(".yaml") }
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
        let places = [file, folder, DropIns(of: file).folder] + files.filter { $0 != file } + [backends]
        for path in places + names.sorted().map({ "\(backends)/\($0)" }) + [stateDirectory] {
            // In a folder with the sticky bit, users can replace only their own files.
            guard let mode = DurableFile(path: path).mode, mode & 0o1002 == 0o002, Glibc.access(path, W_OK) == 0 || errno != EROFS else {
                continue
            }
            let expected = "no write access for all users, who could redirect or destroy captures; run: chmod o-w \(path)"
            mistakes.add(Mistake(file: path, key: "", found: "mode \(String(mode, radix: 8))", expected: expected))
        }
    }

    /// The path components, with links resolved as far as the path exists.
    private static func resolved(_ path: String) -> [String] {
        URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL.pathComponents
    }

    /// Why files cannot be written; nil if they can. The folder may not exist yet.
    private static func obstacle(toWritingIn folder: String) -> String? {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) else {
            return obstacle(toWritingIn: URL(fileURLWithPath: folder).deletingLastPathComponent().path)
        }
        guard isFolder.boolValue else { return "\(folder), which is not a folder" }
        return Glibc.access(folder, W_OK | X_OK) == 0 ? nil : "\(folder): \(String(cString: strerror(errno)))"
    }
}
