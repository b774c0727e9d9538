struct HostileExchange: Sendable {
    let words: String
    let bytes: [UInt8]
    let isRight: @Sendable ([Int]) -> Bool

    private init(_ words: String, _ text: String, _ isRight: @escaping @Sendable ([Int]) -> Bool) {
        self.words = words
        bytes = Array(text.utf8)
        self.isRight = isRight
    }

    /// The number of valid submissions among them.
    static let accepted = 2

    private static let status = "GET /v1/status HTTP/1.1\r\n"
    private static let document = #"{"average_measurements":{"14-818":{"value":17.25,"description":"nose"}}}"#
    private static let submit = "POST /v1/entries?backend=breathesafe&route=measurement&item.user_id=5 HTTP/1.1\r\nHost: homing\r\n"

    private static func refused(_ statuses: [Int]) -> Bool { statuses.allSatisfy { (400..<500).contains($0) } && statuses.count <= 1 }
    private static func served(_ statuses: [Int]) -> Bool { statuses == [200] }
    private static func forbidden(_ statuses: [Int]) -> Bool { statuses == [403] }

    private static func chunked(_ size: String, _ rest: String) -> String {
        submit + "Transfer-Encoding: chunked\r\n\r\n\(size)\r\n\(rest)"
    }
    private static let size = String(document.utf8.count, radix: 16)

    static let all: [HostileExchange] = [
        HostileExchange("a request with Origin", status + "Host: homing\r\nOrigin: http://evil.example\r\n\r\n", forbidden),
        HostileExchange("a request with Origin null", status + "Host: homing\r\nOrigin: null\r\n\r\n", forbidden),
        HostileExchange("a request with Referer", status + "Host: homing\r\nReferer: http://evil.example/\r\n\r\n", forbidden),
        HostileExchange("a request with Sec-Fetch-Site", status + "Host: homing\r\nSec-Fetch-Site: none\r\n\r\n", forbidden),
        HostileExchange("a request with Sec-Fetch-Mode", status + "Host: homing\r\nSec-Fetch-Mode: navigate\r\n\r\n", forbidden),
        HostileExchange("a request for another host", status + "Host: evil.example\r\n\r\n", forbidden),
        HostileExchange("a request for another host that ends like ours", status + "Host: homing.evil.example\r\n\r\n", forbidden),
        HostileExchange("a request for a host as a user", status + "Host: homing@evil.example\r\n\r\n", forbidden),
        HostileExchange("a request for an address", status + "Host: 169.254.169.254\r\n\r\n", forbidden),
        HostileExchange("a request for two hosts", status + "Host: homing\r\nHost: evil.example\r\n\r\n", { $0 == [400] || $0 == [403] }),
        HostileExchange("a request to a proxy", "GET http://evil.example/v1/status HTTP/1.1\r\nHost: evil.example\r\n\r\n", forbidden),
        HostileExchange("CONNECT", "CONNECT evil.example:443 HTTP/1.1\r\nHost: homing\r\n\r\n", refused),
        HostileExchange("the HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u{4}\0\0\0\0\0", refused),
        HostileExchange(
            "an upgrade to HTTP/2",
            status + "Host: homing\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n",
            { served($0) || refused($0) }),
        HostileExchange(
            "an upgrade to WebSocket",
            status
                + "Host: homing\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            { served($0) || refused($0) }),
        HostileExchange("a TLS hello", "\u{16}\u{3}\u{1}\0\u{50}\u{1}\0\0\u{4c}\u{3}\u{3}", refused),
        HostileExchange("a header of 1 MiB", status + "Host: homing\r\nX: \(String(repeating: "a", count: 1 << 20))\r\n\r\n", refused),
        HostileExchange(
            "a megabyte of headers",
            status + "Host: homing\r\n" + (0..<20_000).map { "X-\($0): \(String(repeating: "a", count: 40))\r\n" }.joined() + "\r\n",
            refused),
        HostileExchange(
            "a URL of 1 MiB", "GET /v1/status?\(String(repeating: "a", count: 1 << 20)) HTTP/1.1\r\nHost: homing\r\n\r\n", refused
        ),
        HostileExchange("a header that never ends", status + "Host: homing\r\nX: " + String(repeating: "a\r\n ", count: 200_000), refused),
        HostileExchange(
            "two hundred requests at once", String(repeating: status + "Host: homing\r\n\r\n", count: 200),
            { $0 == Array(repeating: 200, count: 200) }),
        HostileExchange("a request that is cut off", status + "Host: hom", { $0.isEmpty || refused($0) }),
        HostileExchange("no bytes", "", \.isEmpty),
        HostileExchange("a body that is cut off", submit + "Content-Length: \(document.utf8.count + 9)\r\n\r\n\(document)", refused),
        HostileExchange(
            "a body with two lengths", submit + "Content-Length: 2\r\nContent-Length: \(document.utf8.count)\r\n\r\n\(document)", refused),
        HostileExchange(
            "a length and chunks",
            submit + "Content-Length: \(document.utf8.count)\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n\(document)", refused),
        HostileExchange("a length with a plus sign", submit + "Content-Length: +\(document.utf8.count)\r\n\r\n\(document)", refused),
        HostileExchange("a negative length", submit + "Content-Length: -1\r\n\r\n\(document)", refused),
        HostileExchange("a length above 2^64", submit + "Content-Length: 18446744073709551617\r\n\r\n\(document)", refused),
        HostileExchange(
            "an unknown encoding", submit + "Transfer-Encoding: chunked, gzip\r\n\r\n\(size)\r\n\(document)\r\n0\r\n\r\n", refused
        ),
        HostileExchange("a valid body in chunks", chunked(size, document + "\r\n0\r\n\r\n"), { $0 == [201] }),
        HostileExchange("a chunk that is shorter than it says", chunked("ffff", document + "\r\n0\r\n\r\n"), refused),
        HostileExchange("a chunk that is longer than it says", chunked("4", document + "\r\n0\r\n\r\n"), refused),
        HostileExchange("a chunk size above 2^64", chunked("ffffffffffffffffff", document + "\r\n0\r\n\r\n"), refused),
        HostileExchange("a negative chunk size", chunked("-1", document + "\r\n0\r\n\r\n"), refused),
        HostileExchange("chunks without an end", chunked(size, document + "\r\n"), refused),
        HostileExchange(
            "a valid submission, half closed", submit + "Content-Length: \(document.utf8.count)\r\n\r\n\(document)", { $0 == [201] }),
        HostileExchange("a header with a line break in its name", status + "Host: homing\r\nX\u{b}Y: z\r\n\r\n", refused),
        HostileExchange("a header with a NUL", status + "Host: homing\r\nX: \0\r\n\r\n", refused),
        HostileExchange("a space before the colon", status + "Host : homing\r\n\r\n", refused),
        HostileExchange("a path with dots", "GET /v1/../v1/status HTTP/1.1\r\nHost: homing\r\n\r\n", refused),
        HostileExchange("a path with an encoded slash", "GET /v1%2fstatus HTTP/1.1\r\nHost: homing\r\n\r\n", refused),
        HostileExchange("HTTP/0.9", "GET /v1/status\r\n\r\n", refused),
        HostileExchange("HTTP/3.7", "GET /v1/status HTTP/3.7\r\nHost: homing\r\n\r\n", refused),
    ]
}
