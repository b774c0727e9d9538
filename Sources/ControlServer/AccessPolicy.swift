import ControlAPI
import Glibc

/// The groups whose members have a role on the control channel; nil where there is no such group.
package struct AccessGroups: Sendable, Equatable {
    package var observe: Group?
    package var operate: Group?
    package var administer: Group?

    package init(observe: Group? = nil, operate: Group? = nil, administer: Group? = nil) {
        self.observe = observe
        self.operate = operate
        self.administer = administer
    }

    package struct Group: Sendable, Equatable {
        /// As people write it: the name, or the number where it has none.
        package var name: String
        package var id: gid_t

        package init(name: String, id: gid_t) {
            self.name = name
            self.id = id
        }
    }

    package subscript(access: Access) -> Group? {
        switch access {
        case .observe: observe
        case .operate: operate
        case .administer: administer
        }
    }
}

/// Who may do what: root and the daemon's own user administer, members of a group have its role.
package struct AccessPolicy: Sendable {
    package let groups: AccessGroups
    private let administrators: Set<uid_t>
    /// What everybody else may do who can connect.
    private let others: Access?

    /// - Parameters:
    ///   - administrators: administer whatever their groups.
    ///   - isOpenToAll: anybody on this machine can connect. Where only the socket's owner and group can, and no group has a role, being able
    ///     to connect is what makes an operator.
    package init(administrators: Set<uid_t> = [0, geteuid()], groups: AccessGroups = AccessGroups(), isOpenToAll: Bool = false) {
        self.administrators = administrators
        self.groups = groups
        others = groups == AccessGroups() && !isOpenToAll ? .operate : nil
    }

    /// Nil for nothing at all.
    package func access(of peer: Peer) -> Access? {
        if isAdministrator(peer.uid) { return .administer }
        return Access.allCases.last { access in groups[access].map { peer.groups.contains($0.id) } ?? false } ?? others
    }

    /// Root and the daemon's own user, whatever the groups.
    package func isAdministrator(_ uid: uid_t) -> Bool { administrators.contains(uid) }

    /// Why `peer` may not do what needs `access`, and how that is changed.
    package func refusal(of peer: Peer, for access: Access) -> Problem {
        let user = UserName(peer.uid)
        // The least role that is enough.
        guard let group = Access.allCases.filter({ $0 >= access }).compactMap({ groups[$0] }).first else {
            return Problem(
                .notPermitted, status: 403, title: "Not permitted",
                detail: "Only root and the daemon’s own user may do this; you are \(user).",
                next: "Use sudo, or have an administrator name a group for it under ‘access:’ in homing.yaml.")
        }
        return Problem(
            .notPermitted, status: 403, title: "Not permitted",
            detail: "This needs membership in the group \(group.name); you are \(user), and not in it.",
            next: "Have an administrator run ‘sudo adduser \(user.argument) \(group.name)’, then sign out of this computer and in again.")
    }
}
