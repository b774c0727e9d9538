import Foundation

/// The message of a daemon that ends by itself. It must name the place and the system's error.
struct LastWords {
    /// The text after ‘homingd: ’ at the start of a line, nil if there is none. Log lines start with their time instead.
    let text: String?

    init(of said: String) {
        let lines = said.split(separator: "\n", omittingEmptySubsequences: false)
        let first = lines.lastIndex { $0.hasPrefix(Self.prefix) }
        text = first.map { String(lines[$0...].joined(separator: "\n").dropFirst(Self.prefix.count)) }
    }

    private static let prefix = "homingd: "

    /// Texts that mean nothing to a person: library types, codes and placeholders.
    private static let unreadable = ["Domain", "Code=", "error 512", "could not be completed", "Swift.", "NIOCore", "GRDB."]

    /// The possible texts for a system error: the system's, SQLite's, and those of the store.
    ///
    /// - Parameter call: the name of the system call.
    static func reasons(of error: Int32, in call: String) -> [String] {
        let isRoom = [ENOSPC, EDQUOT].contains(error)
        // The daemon must treat unreadable or unwritten data as damage.
        let isDamage = error == EIO || ["pread64", "read", "mmap"].contains(call)
        return [String(cString: strerror(error)), "SQLite error"] + (isRoom ? ["is full"] : []) + (isDamage ? ["is damaged"] : [])
    }

    /// - Parameters:
    ///   - places: paths, of which the message must contain one.
    ///   - reasons: texts, of which the message must contain one.
    func problem(places: [String], reasons: [String]) -> String? {
        guard let text else { return "the daemon exited and did not say why" }
        if !places.contains(where: text.contains) { return "the daemon exited and did not say where it went wrong: \(text)" }
        if !reasons.contains(where: text.contains) { return "the daemon exited and did not say what went wrong: \(text)" }
        if let word = Self.unreadable.first(where: text.contains) { return "the daemon’s last message contains ‘\(word)’: \(text)" }
        return nil
    }
}
