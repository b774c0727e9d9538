import Foundation
import Synchronization

/// A directory that goes when its owner goes.
package final class TemporaryDirectory: Sendable {
    package let path: String
    private let isKept = Atomic(false)

    /// The name stays short, for a Unix socket's path has 107 bytes at most.
    package init(in parent: String = "/tmp") throws {
        path = parent + "/hm-" + UUID().uuidString.prefix(12).lowercased()
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// Leaves it there, for somebody to look at.
    package func keep() { isKept.store(true, ordering: .relaxed) }

    deinit {
        // `try?`: what cannot be removed is the system's to sweep
        if !isKept.load(ordering: .relaxed) { try? FileManager.default.removeItem(atPath: path) }
    }

    package func callAsFunction(_ name: String) -> String { path + "/" + name }
}

extension TemporaryDirectory {
    package func write(_ text: String, to name: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: self(name))) }

    /// What is in it, sorted.
    package var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }
}
