/// This account owns the claimed files from now on.
public struct ClaimReport: Codable, Sendable, Equatable {
    public var files: Int
    public var backend: String
    public var account: String
    public var email: String?

    public init(files: Int, backend: String, account: String, email: String? = nil) {
        self.files = files
        self.backend = backend
        self.account = account
        self.email = email
    }
}
