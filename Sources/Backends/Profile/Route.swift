import JSON
import SyncModel

/// A member of the table `routes`. A class, because each submission looks at it a dozen times, and a copy retains all of its parts.
final class Route: Sendable {
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
    /// The item fields in `lane` and `after`, sorted.
    let laneFields: [String]
    /// All earlier entries with the same subject must be delivered first.
    let afterSubject: Bool
    /// The resources to read again after a delivery.
    let touches: [String]
    /// The first one that fits an answer counts.
    let reasons: [RefusalReason]
    let rows: RowRules
    let deletion: Deletion
    let find: Find?
    let usedFields: Set<String>
    /// Those without which the route cannot be sent.
    let requiredFields: Set<String>

    init?(_ name: String, _ table: StrictTable, defaults: RequestDefaults) {
        defer { table.close() }
        title = table.table("title").flatMap(Resource.Title.init)
        let scope = defaults.scope.withItems
        let (request, isRequestSound) = Self.markedRequest(table, scope: scope, defaults: defaults)
        (fields, references) = Self.fields(table)
        requires = table.pointers("requires")
        if !requires.isEmpty, isRequestSound, request?.json?.takesPayload != true {
            table.reject("requires", expected: "{item.payload} in json, because requires applies to the payload")
        }
        allowsEmpty = table.bool("empty") ?? false
        promises = table.pointers("promises")
        remoteID = table.pointers("remote_id")
        if allowsEmpty, !remoteID.isEmpty { table.reject("empty", expected: "either empty or remote_id, not both") }
        if allowsEmpty, !promises.isEmpty { table.reject("empty", expected: "either empty or promises, not both") }
        repeats = table.identifyingValues("repeats", scope: scope)
        if allowsEmpty, !repeats.isEmpty { table.reject("empty", expected: "either empty or repeats, not both") }
        lane = table.read("lane") { Self.lane($0, "lane", table, scope: scope) }
        onDead = table.choice("on_dead", as: OnDead.self) == .skip ? .skip : .halt
        delivery = table.choice("delivery") ?? .atLeastOnce
        unknownOn = Set(
            table.list("unknown_on") { node in
                if case .scalar(_, .int(let status)) = node.content, (400...599).contains(status) { Int(status) } else { nil }
            } ?? [])
        gone = Set(table.texts("gone") ?? [])
        if !gone.isEmpty, let request, request.method != "DELETE" { table.reject("gone", expected: "a DELETE request") }
        echo = table.pointer("echo")
        mostLevels = table.int("max_depth", in: Self.depths)
        compress = table.choice("compress")
        let ofPayload = ["echo", "max_depth", "compress"]
        for key in ofPayload where table.keys.contains(key) && isRequestSound && request?.json?.takesPayload != true {
            table.reject(key, expected: "{item.payload} in json, because \(key) applies to the payload")
        }
        let (after, behind) = Self.earlierLane(table, scope: scope)
        isBehind = behind != nil
        afterSubject = after == TextTemplate(literal: "subject")
        self.after = afterSubject ? nil : after ?? behind
        laneFields = ((lane?.placeholders ?? []) + (self.after?.placeholders ?? [])).itemFields.sorted()
        if afterSubject, references.isEmpty {
            table.reject("after", expected: "a reference in fields, because the first one names the subject")
        }
        touches = table.texts("touches") ?? []
        reasons = RefusalReason.all(table, request: isRequestSound ? request : nil, lane: lane, scope: scope)
        find = table.table("find").flatMap { Find($0, defaults: defaults) }
        if table.keys.contains("find"), !table.keys.contains("marker") {
            table.reject("find", expected: "the key marker in the same route: without the entry's id in the body, a look-up cannot find it")
        }
        deletion = Deletion(table, subject: references.first, request: isRequestSound ? request : nil, defaults: defaults)
        rows = RowRules(table, subject: references.first, takesPayload: isRequestSound ? request?.json?.takesPayload ?? false : nil)
        guard let request else { return nil }
        self.name = name
        self.request = request
        let placeholders =
            request.placeholders + (lane?.placeholders ?? []) + (self.after?.placeholders ?? []) + (find?.request.placeholders ?? [])
            + (deletion.row?.conditions.flatMap(\.value.placeholders) ?? []) + repeats.flatMap(\.value.placeholders)
        usedFields = placeholders.itemFields
        requiredFields = placeholders.filter { !$0.isOptional }.itemFields
        checkFieldsAreUsed(table)
    }

    /// Fields that people recognize the entry by: those in the URL or lane, never those sent in a body.
    static func identifyingFields(_ request: RequestTemplate, _ lane: TextTemplate?) -> Set<String> {
        (request.url.placeholders + (lane?.placeholders ?? [])).itemFields
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
