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

    /// A submission without `user_id` on the route `create` makes a user; any other is about one.
    func mutation(_ submission: Submission, as id: MutationID, for owner: Destination, at now: Date) throws(Failure) -> Mutation {
        if submission.route == "create" {
            var create = submission.mutation(as: id, for: owner, in: Lane("creates/\(id)"), at: now)
            create.onDead = .skip
            create.creates = "users"
            return create
        }
        guard let user = submission.fields["user_id"]?.text.map({ RosterID($0) }) else {
            throw Failure(.profile, "The item field “user_id” is missing.")
        }
        let form: SubjectLanes =
            if submission.route == "fit_test" {
                SubjectLanes(lane: "tests/USER", after: "users/USER", placeholder: "USER")
            } else {
                SubjectLanes(lane: "users/USER", placeholder: "USER")
            }
        var mutation = submission.mutation(as: id, for: owner, in: form.lane(for: user), at: now)
        mutation.after = form.after(for: user)
        mutation.onDead = .skip
        mutation.subject = user
        mutation.reference = "users"
        mutation.subjectLanes = form
        return mutation
    }
}

extension Account {
    static let ann = Account(id: "1", label: "ann@lab.test")
    static let bob = Account(id: "2", label: "bob@lab.test")
}
