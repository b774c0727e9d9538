import Foundation

/// One header line, as it is sent or was received.
package struct HeaderField: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// A request, ready but for credentials. Its description holds neither headers, nor body, nor query.
package struct OutboundRequest: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    package var method: String
    /// Absolute.
    package var url: String
    package var headers: [HeaderField]
    package var body: Data?
    /// For how long no byte need move, either way; nil means the transport's own limit.
    package var timeout: Duration?
    /// Whether that is for the whole exchange, since the answer is small and somebody may wait for it.
    var isBrief = false
    /// What it carries and nobody may see, so that no answer's words tell it.
    var secrets: Set<Secret> = []

    package init(method: String, url: String, headers: [HeaderField] = [], body: Data? = nil, timeout: Duration? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }

    /// Changes nothing at the server (RFC 9110 9.2.1).
    package var isSafe: Bool { method == "GET" || method == "HEAD" }

    package var description: String { "\(method) \(url.prefix { $0 != "?" && $0 != "#" })" }
    /// What is sent proves who we are: headers, body and query are not for dumps either.
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// Sets a header, in place of any of the same name.
    mutating func setHeader(_ name: String, _ value: String) {
        headers.removeAll { $0.name.caseInsensitiveCompare(name) == .orderedSame }
        headers.append(HeaderField(name, value))
    }

    /// The size of the URL and the headers, in bytes.
    var headSize: Int { headers.reduce(url.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count } }

    func hasHeader(_ name: String) -> Bool { self[header: name] != nil }

    /// The first header of that name, in any case.
    subscript(header name: String) -> String? {
        headers.first { $0.name.caseInsensitiveCompare(name) == .orderedSame }?.value
    }
}
