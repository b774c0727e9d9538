import SyncModel

/// One kind of mutation that a backend takes: a member of the table `routes`.
struct Route: Sendable {
    let name: String
    /// With the marker already in its place.
    let request: RequestTemplate
    /// The types of the item's fields; one that is not named here is a text.
    let fields: [String: FieldType]
    /// Where the payload has to hold something.
    let requires: [JSONPointer]
    /// Whether a success may come without a body.
    let allowsEmpty: Bool
    /// Where a success has to hold something other than null.
    let promises: [JSONPointer]
    /// Where a success has to hold the server's id.
    let remoteID: JSONPointer?
    let lane: TextTemplate?
    let onDead: Mutation.OnDead
    let delivery: Delivery
    /// Statuses after which it is not known whether the mutation took effect.
    let unknownOn: Set<Int>
    /// Whether a 404 says that the deletion is done.
    let goneIsDone: Bool
    let find: Find?

    /// The names of the item's fields that its templates use.
    var usedFields: Set<String> {
        let placeholders = request.placeholders + (lane?.placeholders ?? []) + (find?.request.placeholders ?? [])
        return Set(placeholders.compactMap(\.field)).subtracting(["id", "payload"])
    }

    enum Delivery: String, CaseIterable {
        case atLeastOnce = "at-least-once"
        case atMostOnce = "at-most-once"
    }

    /// How to look for a mutation that may have arrived.
    struct Find: Sendable {
        let request: RequestTemplate
        let list: JSONPointer
        /// Where a row holds the mutation's id.
        let match: JSONPointer
        let remoteID: JSONPointer
    }
}
