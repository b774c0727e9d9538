import JSON
import SyncModel

/// A member of the table `routes`.
struct Route: Sendable {
    let name: String
    let title: Resource.Title?
    /// Contains the marker.
    let request: RequestTemplate
    /// Undeclared fields are texts.
    let fields: [String: FieldType]
    /// In the order of the file. The first one names the entry's subject.
    let references: [Reference]
    /// Must resolve in the payload.
    let requires: [JSONPointer]
    /// A success may have no body.
    let allowsEmpty: Bool
    /// A success must contain these, not null.
    let promises: [JSONPointer]
    /// The server's id: a success must contain one of these values. The first match counts.
    let remoteID: [JSONPointer]
    /// Values that a success must repeat, by pointer.
    let repeats: [(pointer: JSONPointer, value: TextTemplate)]
    let lane: TextTemplate?
    let onDead: Mutation.OnDead
    let delivery: Delivery
    /// Statuses that leave the outcome unknown.
    let unknownOn: Set<Int>
    /// Codes of a 404 or 410 to a DELETE that count as delivered. Exact match.
    let gone: Set<String>
    /// A success repeats the stored payload here.
    let echo: JSONPointer?
    /// The maximum nesting that the server can accept and return.
    let mostLevels: Int?
    /// How the body is compressed; nil for not at all.
    let compress: ContentCoding?
    /// Earlier entries of this lane must be delivered first.
    let after: TextTemplate?
    /// They need only be tried first.
    let isBehind: Bool
    /// All earlier entries with the same subject must be delivered first.
    let afterSubject: Bool
    /// The resources to read again after a delivery.
    let touches: [String]
    /// The first one that fits an answer counts.
    let reasons: [RefusalReason]
    let rows: RowRules
    let deletion: Deletion
    let find: Find?

    var usedFields: Set<String> { placeholders.itemFields }

    /// Those without which the route cannot be sent.
    var requiredFields: Set<String> { placeholders.filter { !$0.isOptional }.itemFields }

    /// Fields that people recognize the entry by: those in the URL or lane, never those sent in a body.
    static func identifyingFields(_ request: RequestTemplate, _ lane: TextTemplate?) -> Set<String> {
        (request.url.placeholders + (lane?.placeholders ?? [])).itemFields
    }

    private var placeholders: [Placeholder] {
        request.placeholders + (lane?.placeholders ?? []) + (after?.placeholders ?? []) + (find?.request.placeholders ?? [])
            + (deletion.row?.conditions.flatMap(\.value.placeholders) ?? []) + repeats.flatMap(\.value.placeholders)
    }

    enum Delivery: String, Sendable, CaseIterable {
        case atLeastOnce = "at-least-once"
        case atMostOnce = "at-most-once"
        /// The server gives several sends one effect.
        case repeatable
    }

    /// Content-Encoding (RFC 9110 8.4).
    enum ContentCoding: String, Sendable, CaseIterable { case gzip }

    struct Find: Sendable {
        let request: RequestTemplate
        let list: JSONPointer
        /// The entry's id in a row.
        let match: JSONPointer
        let remoteID: JSONPointer
        /// The payload in a row.
        let echo: JSONPointer?
        /// Nil when one answer contains all rows.
        let pages: Pages?
    }
}
