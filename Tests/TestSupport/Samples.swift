import Foundation
import SyncModel

package enum Samples {
    package static let destination = Destination(backend: "breathesafe", account: "1")

    package static func id(_ number: Int) -> MutationID {
        let text = String(format: "00000000-0000-7000-8000-%012d", number)
        guard let id = MutationID(text) else { preconditionFailure("\(text) is a UUID") }
        return id
    }

    package static func mutation(
        _ number: Int, lane: String = "users/5", account: AccountID = "1", payload: String = #"{"average_measurements":{}}"#,
        onDead: Mutation.OnDead = .skip, at date: Date = Date(timeIntervalSince1970: 1_765_000_000)
    ) -> Mutation {
        Mutation(
            id: id(number), destination: Destination(backend: "breathesafe", account: account), lane: Lane(lane), route: "measurement",
            fields: ["user_id": 5], payload: Data(payload.utf8), onDead: onDead, capturedAt: date)
    }

    /// An entry in flight.
    package static func entry(_ mutation: Mutation = Samples.mutation(1), _ change: (inout Entry) -> Void = { _ in }) -> Entry {
        var entry = Entry(sequence: 1, mutation: mutation, state: .inflight)
        change(&entry)
        return entry
    }

    package static let route = RouteTraits(canLookUp: true, isAtMostOnce: false)
    package static let failure = Failure(.serverError, status: 500, "Internal Server Error")
    package static let receipt = Receipt(remoteID: "7", status: 201, at: Date(timeIntervalSince1970: 1_765_000_000))
}
