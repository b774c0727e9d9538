import ControlAPI
import Glibc

/// The groups that have a role; nil for none.
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
        /// The name, or the number if it has none.
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

/// Root and the daemon's user administer; group members have their group's role.
package struct AccessPolicy: Sendable {
    package let groups: AccessGroups
    private let administrators: Set<uid_t>
    /// The role of all other users who can connect.
    private let others: Access?

    /// `administrators` need no group. `isOpenToAll`: every local user can connect. If not, and no group has a role, connecting grants
    /// `operate`.
    package init(administrators: Set<uid_t> = [0, geteuid()], groups: AccessGroups = AccessGroups(), isOpenToAll: Bool = false) {
        self.administrators = administrators
        self.groups = groups
        others = groups == AccessGroups() && !isOpenToAll ? .operate : nil
    }

    /// Nil for no access.
    package func access(of peer: Peer) -> Access? {
        if isAdministrator(peer.uid) { return .administer }
        return Access.allCases.last { access in groups[access].map { peer.groups.contains($0.id) } ?? false } ?? others
    }

    package func isAdministrator(_ uid: uid_t) -> Bool { administrators.contains(uid) }

    /// The problem of a peer who is neither root nor the daemon's user.
    package func refusalToAllButOwners(_ peer: Peer) -> Problem {
        Problem(
            .notPermitted, status: 403, title: "Not permitted",
            detail: "Only root and the daemon’s own user may do this; you are \(UserName(peer.uid)).",
            next: "Use sudo.")
    }

    /// The problem of a peer without `access`, with the step that grants it.
    package func refusal(of peer: Peer, for access: Access) -> Problem {
        let user = UserName(peer.uid)
        // The lowest sufficient role.
        guard let group = Access.allCases.filter({ $0 >= access }).compactMap({ groups[$0] }).first else {
            return Problem(
                .notPermitted, status: 403, title: "Not permitted",
                detail: "Only root and the daemon’s own user may do this; you are \(user).",
                next: "Use sudo, or ask an administrator to name a group for this under ‘access:’ in homing.yaml.")
        }
        return Problem(
            .notPermitted, status: 403, title: "Not permitted",
            detail: "This requires membership in the group \(group.name). You are \(user), and not a member.",
            next: "Ask an administrator to run: sudo adduser \(user.argument) \(group.name)\nThen log out of this computer and in again.")
    }
}
