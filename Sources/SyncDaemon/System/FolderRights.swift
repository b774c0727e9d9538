import CSystemLinux
import Foundation
import Glibc

/// A folder's owner, group, mode and ACLs, and the access they grant (acl(5)).
struct FolderRights: Equatable {
    var owner: uid_t
    var group: gid_t
    var mode: mode_t
    /// Nil if there is only a mode.
    var access: AccessList?
    /// The ACL that new files and folders inherit.
    var defaults: AccessList?

    /// True if a process whose only match is the group `member` has this access.
    func allow(_ wanted: AccessList.Permissions, toMemberOf member: gid_t) -> Bool {
        let list = access ?? AccessList(mode: mode)
        return list.allows(wanted, user: nil, groups: [member], owner: owner, group: group)
    }

    /// True if only the owner of a file or of the folder may remove or rename it.
    var isSticky: Bool { mode & 0o1000 != 0 }
}

extension FolderRights {
    /// Follows symbolic links; throws the errno of a failed read.
    init(of path: String) throws(POSIXError) {
        var (owner, group, mode): (UInt32, UInt32, UInt32) = (0, 0, 0)
        guard homing_read_rights(path, &owner, &group, &mode) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        self.init(
            owner: owner, group: group, mode: mode, access: AccessList(of: path, "system.posix_acl_access"),
            defaults: AccessList(of: path, "system.posix_acl_default"))
    }
}
