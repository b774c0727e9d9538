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

    func address(_ submission: Submission, at name: String, as subject: RosterID?) throws(Failure) -> Address {
        guard let backend = keepers[name]?.backend else { throw Failure(.profile, "There is no backend “\(name)”.") }
        let route = submission.route
        var fields = submission.fields
        if let subject {
            fields = backend.fields(fields, route: route, as: subject)
        } else {
            try backend.check(route: route, fields: fields, payload: submission.payload)
        }
        var address = Address(
            lane: try backend.lane(route: route, fields: fields, id: submission.id), onDead: backend.onDead(route: route),
            after: try backend.after(route: route, fields: fields, id: submission.id),
            subject: backend.subject(route: route, fields: submission.fields), creates: backend.creates(route: route))
        if address.subject != nil { address.reference = backend.subjectField(route: route)?.resource.name }
        return address
    }
}
