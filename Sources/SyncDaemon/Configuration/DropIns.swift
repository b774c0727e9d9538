import Backends
import Foundation
import Glibc

/// The folder beside a configuration file, such as `homing.yaml.d`. Its `*.yaml` files add keys to that file, or replace them.
struct DropIns {
    let folder: String

    /// - Parameter file: the configuration file.
    init(of file: String) { folder = file + ".d" }

    /// The paths in the order in which they are read, by the bytes of their names. None without the folder.
    ///
    /// - Parameter planned: paths of files that are not in place yet.
    func files(_ mistakes: MistakeCollector, and planned: [String] = []) -> [String] {
        Set(present(mistakes)).union(planned).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private func present(_ mistakes: MistakeCollector) -> [String] {
        guard !isMissing else { return [] }
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            return names.filter { $0.hasSuffix(".yaml") && !$0.hasPrefix(".") }.map { "\(folder)/\($0)" }.filter { !Self.isMasked($0) }
        } catch {
            let found = YAMLNode.unreadable("something that is not a readable folder", at: folder)
            mistakes.add(Mistake(file: folder, key: "", found: found, expected: "a folder with additions to the configuration, or nothing"))
            return []
        }
    }

    /// The paths of files that are not read, but may be meant to be. Hidden files and backups are not.
    var ignored: [String] {
        // `try?`: `files` reports an unreadable folder.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { name in
            !name.hasSuffix(".yaml") && !name.hasPrefix(".") && !Self.backups.contains { name.hasSuffix($0) }
        }.sorted().map { "\(folder)/\($0)" }
    }

    /// A link to /dev/null, as in systemd, whose drop-ins administrators know.
    private static func isMasked(_ path: String) -> Bool {
        // `try?`: no link.
        (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) == "/dev/null"
    }

    /// Endings of file names that systemd ignores too.
    private static let backups = [
        "~", ".bak", ".old", ".new", ".swp", ".tmp", ".dpkg-old", ".dpkg-new", ".dpkg-dist", ".dpkg-tmp", ".dpkg-bak", ".ucf-old",
        ".ucf-new", ".ucf-dist",
    ]

    /// False for a link that leads nowhere, which is a mistake.
    private var isMissing: Bool {
        guard access(folder, F_OK) != 0, [ENOENT, ENOTDIR].contains(errno) else { return false }
        // `try?`: no link either.
        return (try? FileManager.default.destinationOfSymbolicLink(atPath: folder)) == nil
    }
}
