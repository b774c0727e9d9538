import CSystemLinux
import Glibc

/// An access control list (acl(5)).
struct AccessList: Equatable {
    struct Permissions: OptionSet {
        let rawValue: UInt16
        static let execute = Permissions(rawValue: 1)
        static let write = Permissions(rawValue: 2)
        static let read = Permissions(rawValue: 4)
        static let all: Permissions = [.read, .write, .execute]
    }

    /// Kernel values (linux/posix_acl.h).
    enum Tag: UInt16 {
        case owner = 0x01
        case user = 0x02
        case owningGroup = 0x04
        case group = 0x08
        case mask = 0x10
        case other = 0x20
    }

    struct Entry: Equatable {
        var tag: Tag
        var permissions: Permissions
        /// For a named user or group.
        var id: UInt32 = 0
    }

    var entries: [Entry]

    init(_ entries: [Entry]) { self.entries = entries }

    /// The ACL equivalent to a mode.
    init(mode: mode_t) {
        entries = [
            Entry(tag: .owner, permissions: Permissions(rawValue: UInt16(mode >> 6 & 7))),
            Entry(tag: .owningGroup, permissions: Permissions(rawValue: UInt16(mode >> 3 & 7))),
            Entry(tag: .other, permissions: Permissions(rawValue: UInt16(mode & 7))),
        ]
    }

    /// Parses an extended attribute (linux/posix_acl_xattr.h): a version, then 8-byte entries, little-endian. Nil for another format.
    init?(attribute: [UInt8]) {
        guard attribute.count >= 4, attribute.count % 8 == 4, attribute[..<4] == [2, 0, 0, 0] else { return nil }
        entries = []
        for start in stride(from: 4, to: attribute.count, by: 8) {
            func number(_ offset: Int, _ count: Int) -> UInt32 {
                (0..<count).reduce(0) { $0 | UInt32(attribute[start + offset + $1]) << (8 * UInt32($1)) }
            }
            guard let tag = Tag(rawValue: UInt16(number(0, 2))) else { return nil }
            entries.append(Entry(tag: tag, permissions: Permissions(rawValue: UInt16(number(2, 2))), id: number(4, 4)))
        }
    }

    init?(of path: String, _ name: String) {
        let buffer = [UInt8](unsafeUninitializedCapacity: 64 << 10) {
            $1 = max(0, homing_read_attribute(path, name, $0.baseAddress, UInt($0.count)))
        }
        self.init(attribute: buffer)
    }

    /// The owner's entry, else the named user's, else any granting group entry, else others.
    func allows(_ wanted: Permissions, user: uid_t?, groups: Set<gid_t>, owner: uid_t, group: gid_t) -> Bool {
        func isAllowed(_ entry: Entry) -> Bool { entry.permissions.isSuperset(of: wanted) }
        if let user {
            if user == owner { return entries.contains { $0.tag == .owner && isAllowed($0) } }
            if let named = entries.first(where: { $0.tag == .user && $0.id == user }) { return isAllowed(masked(named)) }
        }
        let ofGroups = entries.filter { $0.tag == .owningGroup && groups.contains(group) || $0.tag == .group && groups.contains($0.id) }
        if !ofGroups.isEmpty { return ofGroups.contains { isAllowed(masked($0)) } }
        return entries.contains { $0.tag == .other && isAllowed($0) }
    }

    private func masked(_ entry: Entry) -> Entry {
        var entry = entry
        if let mask = entries.first(where: { $0.tag == .mask }) { entry.permissions.formIntersection(mask.permissions) }
        return entry
    }
}
