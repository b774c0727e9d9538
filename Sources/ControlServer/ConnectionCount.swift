import ControlAPI
import Glibc
import Synchronization

/// Limits the number of connections, including idle ones.
final class ConnectionCount: Sendable {
    enum Decision: Equatable {
        case admitted
        /// Over the limit: answered with 503. `ofUser` if the user has all connections that one may have.
        case refused(ofUser: Bool)
        /// Over the limit for 503 answers too.
        case dropped
    }

    private struct State {
        var byUser: [uid_t: Int] = [:]
        var all = 0
        var withoutRole = 0
        var refused = 0
    }

    private let limits: ControlLimits
    private let policy: AccessPolicy
    private let state = Mutex(State())

    init(limits: ControlLimits, policy: AccessPolicy) {
        self.limits = limits
        self.policy = policy
    }

    /// Takes a place for `peer`; pass the decision to `close` afterwards.
    func open(_ peer: Peer) -> Decision {
        let (uid, access) = (peer.uid, policy.access(of: peer))
        let most =
            switch access {
            case .administer: limits.connections
            case .operate: limits.connections - limits.reserved
            case .observe, nil: limits.connections - limits.reserved - limits.reservedForOperators
            }
        let mostOfUser = policy.isAdministrator(uid) ? most : limits.connectionsPerUser
        // Users without a role must not use up the places for 503 answers.
        let refusals = access == nil ? limits.refusals / 4 : limits.refusals
        return state.withLock { state in
            let isUserFull = state.byUser[uid, default: 0] >= mostOfUser
            if state.all < most, !isUserFull,
                access != nil || state.withoutRole < limits.connectionsWithoutRole
            {
                state.all += 1
                state.byUser[uid, default: 0] += 1
                if access == nil { state.withoutRole += 1 }
                return .admitted
            }
            if state.refused < refusals {
                state.refused += 1
                return .refused(ofUser: isUserFull && mostOfUser < most)
            }
            return .dropped
        }
    }

    func close(_ peer: Peer, _ decision: Decision) {
        let uid = peer.uid
        state.withLock { state in
            switch decision {
            case .admitted:
                if policy.access(of: peer) == nil { state.withoutRole -= 1 }
                state.all -= 1
                state.byUser[uid, default: 0] -= 1
                if state.byUser[uid] == 0 { state.byUser[uid] = nil }
            case .refused: state.refused -= 1
            case .dropped: break
            }
        }
    }
}
