import Glibc
import Synchronization
import SystemPackage

@testable import Capture

/// Errors that the system gives, by paths, until a test takes them back: root is refused nothing.
final class FileFaults: Sendable {
    struct Errors: Sendable {
        /// By the paths from and to.
        var rename: @Sendable (String, String) -> Int32? = { _, _ in nil }
        var unlink: @Sendable (String) -> Int32? = { _ in nil }
        var open: @Sendable (String) -> Int32? = { _ in nil }
        var openFolder: @Sendable (String) -> Int32? = { _ in nil }
        var beginWatching: Int32?
        var watch: @Sendable (String) -> Int32? = { _ in nil }
    }
    private let errors: Mutex<Errors>
    private let opened = Mutex<[String]>([])

    init(_ errors: Errors = Errors()) { self.errors = Mutex(errors) }

    func set(_ change: (inout Errors) -> Void) { errors.withLock { change(&$0) } }
    func clear() { set { $0 = Errors() } }

    /// Which folders have been listed, in order.
    var foldersOpened: [String] { opened.withLock(\.self) }

    var calls: SpoolFolders.Calls {
        let system = SpoolFolders.Calls()
        var calls = system
        calls.rename = { [self] (path, target) throws(Errno) in
            try fail(errors.withLock(\.rename)(path.string, target.string))
            try system.rename(path, target)
        }
        calls.unlink = { [self] (path) throws(Errno) in
            try fail(errors.withLock(\.unlink)(path.string))
            try system.unlink(path)
        }
        calls.open = { [self] (path) throws(Errno) in
            try fail(errors.withLock(\.open)(path.string))
            return try system.open(path)
        }
        calls.openFolder = { [self] (path) throws(Errno) in
            opened.withLock { $0.append(path.string) }
            try fail(errors.withLock(\.openFolder)(path.string))
            return try system.openFolder(path)
        }
        calls.beginWatching = { [self] () throws(Errno) in
            try fail(errors.withLock(\.beginWatching))
            return try system.beginWatching()
        }
        calls.watch = { [self] (fd, path, mask) throws(Errno) in
            try fail(errors.withLock(\.watch)(path.string))
            return try system.watch(fd, path, mask)
        }
        return calls
    }

    private func fail(_ code: Int32?) throws(Errno) {
        if let code { throw Errno(rawValue: code) }
    }

    /// As where `folder` is the root of another file system.
    static func mounted(_ folder: String) -> FileFaults {
        FileFaults(Errors(rename: { $0.contains(folder + "/") != $1.contains(folder + "/") ? EXDEV : nil }))
    }
}
