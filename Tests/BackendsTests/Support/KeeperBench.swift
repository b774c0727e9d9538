import Backends
import Foundation
import Sessions
import SyncModel
import TestSupport

final class KeeperBench: Sendable {
    let store: SessionStore
    let server = DeviseServer()
    let clock = TestClock(noon)

    init() throws { store = try SessionStore() }

    func keeper(_ old: String = "schema: 1", _ new: String = "schema: 1") throws -> SessionKeeper {
        try store.keeper(breathesafe(old, new), server, clock)
    }

    func signedIn(remember: Bool = false) async throws -> SessionKeeper {
        let keeper = try keeper()
        _ = try await keeper.signIn(.password(email: "ann@lab.test", Secret("right")), remember: remember)
        return keeper
    }

    static let ann = Account(id: "1", label: "ann@lab.test")
    static let health = "GET /users/get_current_user"
    static let login = "POST /users/log_in"
    static let logout = "DELETE /users/log_out"
    static let offline = Failure(.offline, "The backend at x does not answer (connection refused).")
}

let get = OutboundRequest(method: "GET", url: "https://www.breathesafe.xyz/things")
let post = OutboundRequest(method: "POST", url: "https://www.breathesafe.xyz/managed_users")

extension SessionKeeper {
    /// Waits for a change to `state`. Each change is reported to one caller only.
    nonisolated func becomes(_ state: SessionSnapshot.State) async {
        for await snapshot in changes where snapshot.state == state { return }
    }
}

extension SessionSnapshot {
    /// The snapshot without its revision, for comparison across restarts.
    var atFirst: SessionSnapshot {
        var snapshot = self
        (snapshot.unverifiedSince, snapshot.failing, snapshot.revision) = (nil, nil, 0)
        return snapshot
    }
}
