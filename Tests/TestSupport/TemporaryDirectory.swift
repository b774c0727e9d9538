import Foundation
import Synchronization

/// A directory that is removed with its owner.
package final class TemporaryDirectory: Sendable {
    package let path: String
    private let isKept = Atomic(false)

    /// A parent in memory if possible, so that fsync is cheap: for many commits or files.
    package static let memory = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : "/tmp"

    /// The name is short because the path of a Unix socket has at most 107 bytes.
    package init(in parent: String = "/tmp") throws {
        path = parent + "/hm-" + UUID().uuidString.prefix(12).lowercased()
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// Keeps the directory.
    package func keep() { isKept.store(true, ordering: .relaxed) }

    deinit {
        // `try?`: the system cleans up the rest
        if !isKept.load(ordering: .relaxed) { try? FileManager.default.removeItem(atPath: path) }
    }

    package func callAsFunction(_ name: String) -> String { path + "/" + name }
}

extension TemporaryDirectory {
    package func write(_ text: String, to name: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: self(name))) }

    /// The sorted names of its files.
    package var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }
}
