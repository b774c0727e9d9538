import Foundation

/// What a daemon that ends by itself says of it, which has to tell a person where to look and what the system said there.
struct LastWords {
    /// All behind ‘homingd: ’ at the beginning of a line; nil where it says nothing. Lines of the log begin with their time.
    let text: String?

    init(of said: String) {
        let lines = said.split(separator: "\n", omittingEmptySubsequences: false)
        let first = lines.lastIndex { $0.hasPrefix(Self.prefix) }
        text = first.map { String(lines[$0...].joined(separator: "\n").dropFirst(Self.prefix.count)) }
    }

    private static let prefix = "homingd: "

    /// What a person cannot read: numbers of a library's, and what it says where it knows nothing.
    private static let unreadable = ["Domain", "Code=", "error 512", "could not be completed", "Swift.", "NIOCore", "GRDB."]

    /// How an error of the system's is told: in its words, or in SQLite's and in those of the store, which make their own of it.
    ///
    /// - Parameter call: as the system names it.
    static func reasons(of error: Int32, in call: String) -> [String] {
        let isRoom = [ENOSPC, EDQUOT].contains(error)
        // What cannot be read, or was not written as it was said to be, has to be taken for damage.
        let isDamage = error == EIO || ["pread64", "read", "mmap"].contains(call)
        return [String(cString: strerror(error)), "SQLite error"] + (isRoom ? ["is full"] : []) + (isDamage ? ["is damaged"] : [])
    }

    /// What is wrong with them.
    ///
    /// - Parameters:
    ///   - places: paths, of which one must be named with all that is below it.
    ///   - reasons: texts of which one must be there.
    func problem(places: [String], reasons: [String]) -> String? {
        guard let text else { return "the daemon ended and did not say why" }
        if !places.contains(where: text.contains) { return "the daemon ended and did not say where it went wrong: \(text)" }
        if !reasons.contains(where: text.contains) { return "the daemon ended and did not say what went wrong: \(text)" }
        if let word = Self.unreadable.first(where: text.contains) { return "the daemon’s last words say ‘\(word)’: \(text)" }
        return nil
    }
}
