import JSON
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
    /// Codes of a 404 or 410 that say of a DELETE that what it would delete is gone, to the letter: with one of them the entry is delivered.
    let gone: Set<String>
    /// Where a success repeats the payload as the server has stored it.
    let echo: JSONPointer?
    /// Levels of lists and objects above which the server cannot take, or give back, a payload.
    let mostLevels: Int?
    /// The lane whose earlier entries have to be delivered before one of this route is sent.
    let after: TextTemplate?
    let find: Find?

    /// The names of the item's fields that its templates use.
    var usedFields: Set<String> {
        let placeholders =
            request.placeholders + (lane?.placeholders ?? []) + (after?.placeholders ?? []) + (find?.request.placeholders ?? [])
        return Set(placeholders.compactMap(\.field)).subtracting(["id", "payload"])
    }

    enum Delivery: String, Sendable, CaseIterable {
        case atLeastOnce = "at-least-once"
        case atMostOnce = "at-most-once"
        /// The server makes one effect of several sends.
        case repeatable
    }

    /// How to look for a mutation that may have arrived.
    struct Find: Sendable {
        let request: RequestTemplate
        let list: JSONPointer
        /// Where a row holds the mutation's id.
        let match: JSONPointer
        let remoteID: JSONPointer
        /// Where a row holds the payload.
        let echo: JSONPointer?
        /// Nil where one answer holds all rows.
        let pages: Pages?
    }

    /// How a list is read page by page, from page 1 on.
    struct Pages: Sendable {
        /// Query parameters: the page's number, and how many rows a page is to have.
        let page, perPage: String
        /// Where an answer says how many rows there are in all.
        let total: JSONPointer
    }
}
