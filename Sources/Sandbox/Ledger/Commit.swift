/// What a stand-in accepted: one row created, changed or deleted.
package struct Commit: Sendable {
    /// What the row is, such as `facial_measurement`.
    package var resource: String
    /// The account whose credential the request carried.
    package var account: Int?
    /// The user whose row it is.
    package var user: Int?
    /// The identifier that the backend gave the row.
    package var remoteID: Int?
    /// The client's own identifier inside the stored document.
    package var clientMutationID: String?
    /// What was stored, nil when nothing is left of it.
    package var document: JSON?

    package init(
        resource: String, account: Int?, user: Int?, remoteID: Int?, clientMutationID: String? = nil, document: JSON? = nil
    ) {
        self.resource = resource
        self.account = account
        self.user = user
        self.remoteID = remoteID
        self.clientMutationID = clientMutationID
        self.document = document
    }
}
