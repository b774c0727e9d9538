import Foundation

/// Gives the station a new master key and a new data key. Only root and the daemon's user may.
public struct KeyRotation: WireRequest, Codable {
    /// The new master key, 32 random bytes in base64; nil for one that Homing makes. Needed if the key is a credential of the service.
    public var newKey: String?

    public init(newKey: String? = nil) { self.newKey = newKey }

    public init(parameters: [String: String], body: Data?) throws(Problem) {
        _ = try ParameterReader(parameters, known: [])
        let body = body ?? Data()
        self = try .read(body.isEmpty ? Data("{}".utf8) : body, known: ["newKey"], like: #"{"newKey": "…"}"#)
    }

    public var parameters: [String: String] { [:] }
    public var body: Data? { JSONCoding.encoded(self) }
}

/// The master key of a station whose key file is missing, damaged or another key. Prints as `[secret]`.
public struct KeyCopy: Codable, Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The content of a key file: 32 bytes in base64, and a line end.
    public var key: String

    public init(key: String) { self.key = key }

    public var description: String { "[secret]" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The key of a station, without the key.
public struct KeyReport: Codable, Sendable, Equatable {
    /// The file with the master key.
    public var path: String
    /// The file is a credential of the service, which Homing cannot write.
    public var isCredential: Bool
    /// Identifies the master key without revealing it.
    public var fingerprint: String
    /// When the data key was made.
    public var madeAt: Date
    /// A new master key is not installed yet as the service's credential.
    public var isPending: Bool
    /// Some data may still be sealed with an earlier data key.
    public var isResealing: Bool
    /// Rows that are not checked yet; nil unless they are being checked.
    public var left: Int?

    public init(
        path: String, isCredential: Bool, fingerprint: String, madeAt: Date, isPending: Bool, isResealing: Bool, left: Int? = nil
    ) {
        (self.path, self.isCredential, self.fingerprint, self.madeAt) = (path, isCredential, fingerprint, madeAt)
        (self.isPending, self.isResealing, self.left) = (isPending, isResealing, left)
    }
}
