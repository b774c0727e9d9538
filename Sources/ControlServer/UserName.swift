import Glibc

/// A user's name for messages, or the number without one.
package struct UserName: CustomStringConvertible {
    private let uid: uid_t
    private let name: String?

    package init(_ uid: uid_t) {
        self.uid = uid
        name = Self.name(of: uid)
    }

    package var description: String { name.map { "\($0) (uid \(uid))" } ?? "uid \(uid)" }
    /// `anna`, or `user 1000`.
    package var short: String { name ?? "user \(uid)" }
    /// For a command line.
    var argument: String { name ?? "NAME" }

    private static func name(of uid: uid_t) -> String? {
        let size = 16 << 10
        let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: size)
        defer { buffer.deallocate() }
        var (entry, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
        guard getpwuid_r(uid, &entry, buffer, size, &found) == 0, found != nil else { return nil }
        return String(cString: entry.pw_name)
    }
}

/// The names of users, each looked up once: a look-up may ask a directory server.
package struct UserNames {
    private var known: [uid_t: UserName] = [:]
    private let find: (uid_t) -> UserName

    package init(find: @escaping (uid_t) -> UserName = { UserName($0) }) { self.find = find }

    package subscript(_ uid: uid_t) -> UserName {
        mutating get {
            if let name = known[uid] { return name }
            let name = find(uid)
            known[uid] = name
            return name
        }
    }
}
