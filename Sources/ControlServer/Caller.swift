import ControlAPI

/// A peer with the role that it was admitted with.
package struct Caller: Sendable {
    package let peer: Peer
    package let access: Access
    private let policy: AccessPolicy

    package init(_ peer: Peer, _ access: Access, under policy: AccessPolicy = AccessPolicy()) {
        self.peer = peer
        self.access = access
        self.policy = policy
    }

    /// The group that gives the peer its role; nil if the peer has it without a group.
    package var group: String? { policy.isAdministrator(peer.uid) ? nil : policy.groups[access]?.name }

    /// For calls that no role permits: only root and the daemon's user may.
    package func requireOwner() throws(Problem) {
        guard policy.isAdministrator(peer.uid) else { throw policy.refusalToAllButOwners(peer) }
    }

    /// For calls that need a higher role in some cases.
    package func require(_ access: Access) throws(Problem) {
        guard self.access >= access else { throw policy.refusal(of: peer, for: access) }
    }
}
