import Capture
import Foundation
import SyncModel
import Synchronization

final class FakeAddressing: Addressing {
    let backends: [String]
    private let signedIn: Mutex<[String: Account]>
    private let onAsked = Mutex<(@Sendable () -> Void)?>(nil)

    init(_ accounts: [String: Account?] = ["breathesafe": .ann]) {
        backends = Array(accounts.keys)
        signedIn = Mutex(accounts.compactMapValues(\.self))
    }

    func signIn(_ account: Account?, at backend: String = "breathesafe") { signedIn.withLock { $0[backend] = account } }

    /// Runs `work` once, at the next request for the account.
    func whenAsked(_ work: @escaping @Sendable () -> Void) { onAsked.withLock { $0 = work } }

    func account(at backend: String) async -> Account? {
        let work = onAsked.withLock { work in
            defer { work = nil }
            return work
        }
        work?()
        return signedIn.withLock { $0[backend] }
    }

    func address(_ submission: Submission, at backend: String) throws(Failure) -> Address {
        guard let user = submission.fields["user_id"]?.text else { throw Failure(.profile, "The item field “user_id” is missing.") }
        return Address(lane: Lane("users/\(user)"), onDead: .skip)
    }
}

extension Account {
    static let ann = Account(id: "1", label: "ann@lab.test")
    static let bob = Account(id: "2", label: "bob@lab.test")
}
