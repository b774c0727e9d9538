/// One accepted change: a row created, changed or deleted.
package struct Commit: Sendable {
    /// The kind of the row, such as `facial_measurement`.
    package var resource: String
    /// The account of the request's credential.
    package var account: Int?
    /// The user who owns the row.
    package var user: Int?
    /// The backend's identifier of the row.
    package var remoteID: Int?
    /// The client's identifier in the stored document.
    package var clientMutationID: String?
    /// The stored document; nil after a deletion.
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
