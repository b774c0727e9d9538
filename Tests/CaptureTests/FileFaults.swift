import Files
import Glibc
import Synchronization
import SystemPackage

@testable import Capture

/// Makes file operations fail. Permissions would not do, because root has all of them.
final class FileFaults: Sendable {
    struct Errors: Sendable {
        /// The arguments are the source and the target.
        var rename: @Sendable (String, String) -> Int32? = { _, _ in nil }
        var unlink: @Sendable (String) -> Int32? = { _ in nil }
        var open: @Sendable (String) -> Int32? = { _ in nil }
        var openFolder: @Sendable (String) -> Int32? = { _ in nil }
        /// A lease shows whether a program writes to the file.
        var lease: @Sendable (String) -> Int32? = { _ in nil }
        var list: @Sendable (String) -> Int32? = { _ in nil }
        var access: @Sendable (String) -> Int32? = { _ in nil }
        var beginWatching: Int32?
        var watch: @Sendable (String) -> Int32? = { _ in nil }
    }
    private let errors: Mutex<Errors>
    private let listed = Mutex<[String]>([])

    init(_ errors: Errors = Errors()) { self.errors = Mutex(errors) }

    func set(_ change: (inout Errors) -> Void) { errors.withLock { change(&$0) } }
    func clear() { set { $0 = Errors() } }

    var foldersListed: [String] { listed.withLock(\.self) }

    var calls: Folder.Calls {
        Folder.Calls { (kind, path, target) throws(FileError) in
            if kind == .list { self.listed.withLock { $0.append(path.string) } }
            let errors = self.errors.withLock(\.self)
            let code: Int32? =
                switch kind {
                case .rename: errors.rename(path.string, target?.string ?? "")
                case .unlink: errors.unlink(path.string)
                case .open: errors.open(path.string)
                case .openFolder: errors.openFolder(path.string)
                case .lease: errors.lease(path.string)
                case .list: errors.list(path.string)
                case .access: errors.access(path.string)
                case .beginWatching: errors.beginWatching
                case .watch: errors.watch(path.string)
                case .status, .hold, .create: nil
                }
            if let code { throw FileError(Errno(rawValue: code), path) }
        }
    }

    /// Makes `folder` look like another file system.
    static func mounted(_ folder: String) -> FileFaults {
        FileFaults(Errors(rename: { $0.contains(folder + "/") != $1.contains(folder + "/") ? EXDEV : nil }))
    }
}
