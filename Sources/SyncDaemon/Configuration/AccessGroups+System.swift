import ControlServer
import Glibc

extension AccessGroups {
    /// The groups created by an installation, if they exist.
    static var usual: AccessGroups {
        AccessGroups(
            observe: Group(named: "homing-observe"), operate: Group(named: "homing-operate"), administer: Group(named: "homing-administer"))
    }

    /// For `homingd check`.
    var sentence: String {
        let roles = [("observe", observe), ("operate", operate), ("administer", administer)]
        guard roles.contains(where: { $0.1 != nil }) else { return "no groups; every user who can connect to the socket may operate" }
        return roles.map { "\($0): \($1.map { "the group \($0.name)" } ?? "no group")" }.joined(separator: ", ")
    }
}

extension AccessGroups.Group {
    /// Nil if the system has no such group.
    init?(named name: String) {
        let id = Self.entry { getgrnam_r(name, $0, $1, $2, $3) }?.id
        guard let id else { return nil }
        self.init(name: name, id: id)
    }

    /// With the system's name for it, if any.
    init(numbered id: gid_t) {
        self.init(name: Self.entry { getgrgid_r(id, $0, $1, $2, $3) }?.name ?? String(id), id: id)
    }

    private typealias Buffer = UnsafeMutablePointer<CChar>

    private static func entry(
        _ find: (UnsafeMutablePointer<group>, Buffer, Int, UnsafeMutablePointer<UnsafeMutablePointer<group>?>) -> Int32
    ) -> (name: String, id: gid_t)? {
        // A group with thousands of members needs more than a page.
        for size in [4 << 10, 64 << 10, 1 << 20] {
            let buffer = Buffer.allocate(capacity: size)
            defer { buffer.deallocate() }
            var (entry, found) = (group(), UnsafeMutablePointer<group>?.none)
            if find(&entry, buffer, size, &found) == ERANGE { continue }
            return found == nil ? nil : (String(cString: entry.gr_name), entry.gr_gid)
        }
        return nil
    }
}
