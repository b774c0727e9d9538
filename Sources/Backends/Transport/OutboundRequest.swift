import Foundation

package struct HeaderField: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// Complete except for credentials. The description omits headers, body and query.
package struct OutboundRequest: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    package var method: String
    /// Absolute.
    package var url: String
    package var headers: [HeaderField]
    package var body: Data?
    /// The maximum time without a transfer; nil for the default.
    package var timeout: Duration?
    /// The response is small and a person may be waiting: `timeout` limits the whole exchange.
    package var isBrief = false
    /// May be sent on an idle connection, which the server may be closing. Only if a lost answer does no harm.
    package var isReusing: Bool
    /// The server takes `body` as gzip, so a long one is sent that way.
    package var isCompressible = false
    /// Hidden in messages of the server.
    package var secrets: Set<Secret> = []

    package init(method: String, url: String, headers: [HeaderField] = [], body: Data? = nil, timeout: Duration? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        isReusing = Self.isIdempotent(method)
    }

    /// RFC 9110 9.2.2.
    private static func isIdempotent(_ method: String) -> Bool { ["GET", "HEAD", "PUT", "DELETE"].contains(method) }

    /// Changes nothing at the server (RFC 9110 9.2.1).
    package var isSafe: Bool { method == "GET" || method == "HEAD" }

    package var description: String { "\(method) \(url.prefix { $0 != "?" && $0 != "#" })" }
    /// Hides headers, body and query, which may contain credentials, from dumps.
    package var customMirror: Mirror { Mirror(self, children: []) }

    package mutating func setHeader(_ name: String, _ value: String) {
        headers.removeAll { $0.name.isFieldName(name) }
        headers.append(HeaderField(name, value))
    }

    /// In bytes.
    var headSize: Int { headers.reduce(url.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count } }

    package subscript(header name: String) -> String? {
        headers.first { $0.name.isFieldName(name) }?.value
    }
}
