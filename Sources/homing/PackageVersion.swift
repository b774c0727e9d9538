import Foundation

/// The version of the Debian package, whose suffix the programs do not know.
enum PackageVersion {
    /// Nil unless this program is that of the package.
    static var current: String? {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
        return program == "/usr/bin/homing" ? read("/usr/lib/homing/package-version") : nil
    }

    /// Nil without such a file.
    static func read(_ path: String) -> String? {
        // `try?`: without the file, the program is not from a package.
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        let version = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return version.isEmpty ? nil : version
    }
}
