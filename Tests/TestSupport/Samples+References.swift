import Foundation
import SyncModel

extension Samples {
    /// Makes a row of `people`, in a lane of its own.
    ///
    /// - Parameter other: the create to whose row it refers.
    package static func create(_ number: Int, needs other: Int? = nil) -> Mutation {
        var mutation = other.map { capture(number, of: $0) } ?? Self.mutation(number)
        mutation.lane = Lane("create/\(number)")
        mutation.creates = "people"
        return mutation
    }

    /// Refers to the row that the entry `create` makes.
    package static func capture(_ number: Int, of create: Int, lane: String? = nil, onDead: Mutation.OnDead = .skip) -> Mutation {
        var mutation = mutation(number, lane: lane ?? "people/@\(create)", onDead: onDead)
        mutation.subject = RosterID(createdBy: id(create))
        mutation.reference = "people"
        return mutation
    }
}
