import Foundation
import SyncModel

/// What looking for a mutation came to.
package enum LookUp: Hashable, Sendable {
    /// The server has it.
    case found(Receipt)
    /// The server answered, and does not have it.
    case absent
    /// It is as uncertain as before.
    case failed(Verdict)
}

extension Backend {
    /// What the answer to `lookup(for:)` says.
    package func lookedUp(_ response: InboundResponse, for mutation: Mutation, at now: Date) -> LookUp {
        if let interception = interception(in: response) { return .failed(.intercepted(interception)) }
        if response.status == 404, response.isJSON { return .absent }
        guard response.isSuccess, !saysFailure(response) else { return .failed(refusal(response, route: nil, at: now)) }
        guard let find = profile.routes[mutation.route]?.find,
            let rows = response.json?.rows(of: find.list, [find.match, find.remoteID])
        else {
            return .failed(
                .transient(Failure(.profile, status: response.status, "The backend's list to look in is not where its profile says.")))
        }
        guard let row = rows.first(where: { $0[0]?.string?.lowercased() == mutation.id.description }) else { return .absent }
        return .found(Receipt(remoteID: row[1]?.text, status: response.status, foundByLookup: true, at: now))
    }
}
