import Foundation

/// Lists the refused files of the drop folder.
public struct RefusedFileQuery: WireRequest {
    /// Only files whose names come after this one.
    public var after: String?
    /// 1 to 10,000: the daemon lists the whole folder for each page.
    public var limit: Int

    package static let mostFiles = 10_000

    public init(after: String? = nil, limit: Int = 100) {
        self.after = after
        self.limit = limit
    }

    public init(parameters: [String: String], body: Data?) throws(Problem) {
        let reader = try ParameterReader(parameters, known: ["after", "limit"])
        self.init(after: try reader.nonempty("after"), limit: Int(try reader.integer("limit", in: 1...Int64(Self.mostFiles)) ?? 100))
    }

    public var parameters: [String: String] {
        var parameters = ["limit": String(limit)]
        parameters["after"] = after
        return parameters
    }
}

/// A refused file of the drop folder.
public struct RefusedFile: Codable, Sendable, Equatable {
    /// In `refused/`.
    public var name: String
    /// Differs from that of any other file that has had this name.
    public var version: String

    public init(name: String, version: String) {
        self.name = name
        self.version = version
    }
}

/// The refused files, in order by name.
public struct RefusedFileList: Codable, Sendable, Equatable {
    public var files: [RefusedFile]
    /// Pass as `after` to get the next page; nil at the end.
    public var next: String?

    public init(files: [RefusedFile], next: String?) {
        self.files = files
        self.next = next
    }
}
