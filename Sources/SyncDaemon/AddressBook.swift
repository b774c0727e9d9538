import Backends
import Capture
import Sessions
import SyncModel

struct AddressBook: Addressing {
    let keepers: [String: SessionKeeper]

    var backends: [String] { Array(keepers.keys) }

    func account(at backend: String) async -> Account? {
        guard let snapshot = await keepers[backend]?.snapshot else { return nil }
        return switch snapshot.state {
        case .signedIn, .signInRequired: snapshot.account
        case .signedOut, .signingOut: nil
        }
    }

    func address(_ submission: Submission, at name: String) throws(Failure) -> Address {
        guard let backend = keepers[name]?.backend else { throw Failure(.profile, "There is no backend “\(name)”.") }
        try backend.check(route: submission.route, fields: submission.fields, payload: submission.payload)
        return Address(
            lane: try backend.lane(route: submission.route, fields: submission.fields), onDead: backend.onDead(route: submission.route),
            after: try backend.after(route: submission.route, fields: submission.fields),
            subject: backend.subject(route: submission.route, fields: submission.fields))
    }
}
