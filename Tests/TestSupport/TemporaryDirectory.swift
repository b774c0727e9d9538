import Foundation

/// A directory that goes when its owner goes.
package final class TemporaryDirectory: Sendable {
    package let path: String

    /// The name stays short, for a Unix socket's path has 107 bytes at most.
    package init(in parent: String = "/tmp") throws {
        path = parent + "/hm-" + UUID().uuidString.prefix(12).lowercased()
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }  // `try?`: what cannot be removed is the system's to sweep

    package func callAsFunction(_ name: String) -> String { path + "/" + name }
}

extension TemporaryDirectory {
    package func write(_ text: String, to name: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: self(name))) }

    /// What is in it, sorted.
    package var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }
}
