import Glibc
import Synchronization

/// Counts connections, idle ones too, and decides whether there is room for one more.
final class ConnectionCount: Sendable {
    enum Decision: Equatable {
        case admitted
        /// One too many: to be told so.
        case refused
        /// Too many even to be told so.
        case dropped
    }

    private struct State {
        var byUser: [uid_t: Int] = [:]
        var all = 0
        var refused = 0
    }

    private let limits: ControlLimits
    private let policy: AccessPolicy
    private let state = Mutex(State())

    init(limits: ControlLimits, policy: AccessPolicy) {
        self.limits = limits
        self.policy = policy
    }

    /// Takes a place for a connection of `uid`; each one is to be given back by `close` with the same decision.
    func open(_ uid: uid_t) -> Decision {
        let isAdministrator = policy.isAdministrator(uid)
        let most = isAdministrator ? limits.connections : limits.connections - limits.reserved
        let mostOfUser = isAdministrator ? most : limits.connectionsPerUser
        return state.withLock { state in
            if state.all < most, state.byUser[uid, default: 0] < mostOfUser {
                state.all += 1
                state.byUser[uid, default: 0] += 1
                return .admitted
            }
            if state.refused < limits.refusals {
                state.refused += 1
                return .refused
            }
            return .dropped
        }
    }

    func close(_ uid: uid_t, _ decision: Decision) {
        state.withLock { state in
            switch decision {
            case .admitted:
                state.all -= 1
                state.byUser[uid, default: 0] -= 1
                if state.byUser[uid] == 0 { state.byUser[uid] = nil }
            case .refused: state.refused -= 1
            case .dropped: break
            }
        }
    }
}
