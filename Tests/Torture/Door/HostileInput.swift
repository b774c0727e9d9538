import ControlAPI
import Foundation
import SyncModel

struct HostileInput {
    var generator: SplitMix64

    private static let paths = [
        "/v1/status", "/v1/entries", "/v1/entries?backend=breathesafe&route=measurement&item.user_id=5", "/v1/entries?limit=3",
        "/v1/entries/00000000-0000-7000-8000-000000000001", "/v1/sync", "/v1/receipts", "/v1/lanes", "/v1/openapi.yaml", "/v1/pauses",
        "/v1/backends/breathesafe/resources/managed_users", "/v1/events?since=0", "/v1/sessions?backend=none", "/v1/pause", "/", "//",
        "/v1/roster", "/v1/roster/managed_users?find=%cc%81&limit=500", "/v1/roster/managed_users/refresh",
        "/v1/../v1/status", "/v1/%00", "/v1/entries?limit=-1",
        "/v1/entries?limit=999999999999999999999", "/v1/entries?state=%ff%fe", "/v1/entries?item.user_id=5;DROP%20TABLE%20entry",
    ]
    private static let methods = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "get", "PATCH", "BREW"]
    private static let bodies = [
        #"{"average_measurements":{"14-818":{"value":17.25,"description":"nose"}}}"#, "{}", "[]", "null", "NaN",
        #"{"average_measurements":NaN}"#, #"{"average_measurements":{"a":1e999}}"#, #"{"a":"\ud800"}"#, #"{"a":1,"a":2}"#,
        "{\"a\":\"\u{0}\"}",
        #"{"backend":"breathesafe","email":"x","password":"y"}"#, #"{"backend":["breathesafe"]}"#, "\u{feff}{}", "{", "\"", "",
    ]
    private static let headers = [
        "Host: localhost", "Host: evil.example", "Origin: http://evil.example", "Referer: http://evil.example/",
        "Content-Type: application/json",
        "Content-Type: text/html", "Transfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked", "Content-Length: -1",
        "Content-Length: 5",
        "Content-Length: 99999999999999999999", "Expect: 100-continue", "Expect: 200-ok", "Connection: keep-alive", "Connection: Upgrade",
        "Upgrade: websocket", "Idempotency-Key: \"x\"", "Accept-Encoding: gzip", "Range: bytes=0-1", "X: \u{0}", ": empty", "No-Colon",
        " Folded: x",
    ]

    /// The inputs for one connection: well-framed requests, then one that may not be.
    mutating func connection() -> [[UInt8]] {
        (0..<Int.random(in: 0...24, using: &generator)).map { _ in framed() } + [next()]
    }

    /// A well-framed request, so that the daemon also reads the next one.
    private mutating func framed() -> [UInt8] {
        if Int.random(in: 0..<8, using: &generator) == 0 { return rightRequest() }
        var path = pick(Self.paths)
        var body = Array(pick(Self.bodies).utf8)
        if Int.random(in: 0..<2, using: &generator) == 0 { body = flipped(body) }
        if Int.random(in: 0..<3, using: &generator) == 0 {
            path += (path.contains("?") ? "&" : "?") + pick(Self.parameters)
        }
        if Int.random(in: 0..<4, using: &generator) == 0 { path = scrambled(path) }
        let method = pick(["GET", "GET", "POST", "POST", "DELETE", "PUT", "PATCH"])
        if method == "GET" { body = [] }
        let head =
            "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.count)\r\nContent-Type: application/json\r\n\r\n"
        return Array(head.utf8) + body
    }

    private static let parameters =
        [
            "limit=0", "limit=1e3", "after=-1", "after=9223372036854775808", "state=held", "state=", "backend=", "backend=breathesafe%00",
            "since=0&follow=false", "item.user_id=5", "item.user_id=05", "item.user_id=%E2%80%AE5", "item.=x",
            "item.user_id=5&item.user_id=6",
            "id=00000000-0000-7000-8000-000000000001", "id=x", "supersedes=00000000-0000-7000-8000-000000000001", "route=../profile", "%=%",
            "a=b", "=", "&&&", "route=measurement",
        ] + numbers.flatMap { number in ["limit", "after", "since"].map { "\($0)=\(number)" } }
        + times.map { "captured_at=\($0)&route=measurement&item.user_id=5" }
    private static let numbers = [
        "0", "-1", "1e308", "1e999", "-1e999", "NaN", "nan", "Infinity", "-Infinity", "9223372036854775807", "9223372036854775808",
        "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616", "0.5", "0x10", "%2B1", "1_000",
        "00001", "%D9%A5",
    ]
    private static let times = [
        "0000-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z", "1969-12-31T23:59:59.999Z", "2300-01-01T00:00:00.000Z",
        "9999-12-31T23:59:59.999Z", "10000-01-01T00:00:00Z", "292278994-08-17T07:12:55Z", "-0001-01-01T00:00:00Z", "2026-02-30T00:00:00Z",
        "2026-01-01T24:60:61Z", "2026-01-01T00:00:00.999999999999Z", "1765000000", "NaN", "",
    ]

    /// Changes a few characters to other printable ones, so that the request line stays one line.
    private mutating func scrambled(_ path: String) -> String {
        var bytes = Array(path.utf8)
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            bytes[Int.random(in: 1..<max(2, bytes.count), using: &generator) % bytes.count] = UInt8.random(
                in: 0x21...0x7e, using: &generator)
        }
        return "/" + String(decoding: bytes.dropFirst(), as: UTF8.self)
    }

    mutating func next() -> [UInt8] {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: return noise(Int.random(in: 0...300, using: &generator))
        case 1: return deep()
        case 2: return request() + request() + request()  // pipelined
        case 3, 4: return request()
        case 5: return Array(request().prefix(Int.random(in: 0...200, using: &generator)))
        default: return flipped(request())
        }
    }

    mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &generator)] }

    private mutating func noise(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) } }

    private static let right = [
        ("GET", "/v1/status", ""), ("GET", "/v1/entries?limit=3", ""), ("GET", "/v1/lanes", ""), ("GET", "/v1/receipts", ""),
        ("POST", "/v1/entries?backend=breathesafe&route=measurement&item.user_id=5", bodies[0]),
        ("POST", "/v1/entries?backend=breathesafe&route=measurement&item.user_id=6", bodies[0]),
        ("GET", "/v1/entries/00000000-0000-7000-8000-000000000001", ""), ("POST", "/v1/sync", ""),
    ]

    /// A valid request, sometimes with an extra header.
    private mutating func rightRequest() -> [UInt8] {
        let (method, path, body) = pick(Self.right)
        var lines = [
            "\(method) \(path) HTTP/1.1", "Host: localhost", "Content-Length: \(body.utf8.count)", "Content-Type: application/json",
        ]
        if Int.random(in: 0..<3, using: &generator) == 0 { lines.append(pick(Self.headers)) }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }

    private mutating func request() -> [UInt8] {
        if Int.random(in: 0..<3, using: &generator) > 0 { return rightRequest() }
        var body = Array(pick(Self.bodies).utf8)
        if Int.random(in: 0..<200, using: &generator) == 0 { body = noise(100_000) }
        var lines = ["\(pick(Self.methods)) \(pick(Self.paths)) HTTP/1.1"]
        // Most have only one fault.
        if Int.random(in: 0..<8, using: &generator) > 0 { lines.append("Host: localhost") }
        if Int.random(in: 0..<8, using: &generator) > 0 { lines.append("Content-Length: \(body.count)") }
        if Int.random(in: 0..<4, using: &generator) > 0 { lines.append("Content-Type: application/json") }
        for _ in 0..<Int.random(in: 0...2, using: &generator) { lines.append(pick(Self.headers)) }
        if Int.random(in: 0..<50, using: &generator) == 0 { lines.append("X-Long: " + String(repeating: "a", count: 70_000)) }
        if Int.random(in: 0..<50, using: &generator) == 0 { lines += (0..<300).map { "X-\($0): y" } }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }

    private mutating func flipped(_ bytes: [UInt8]) -> [UInt8] {
        guard !bytes.isEmpty else { return bytes }
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: .min ... .max, using: &generator)
        }
        return bytes
    }

    /// Deeply nested JSON, truncated or complete with values at the deepest level.
    private mutating func deep() -> [UInt8] {
        let depth = pick([100, 400, 600, 20_000])
        let (open, close) = pick([("[", "]"), (#"{"a":"#, "}")])
        let values = open == "[" ? Array(repeating: #"1e5,true,"\u00e9""#, count: pick([1, 20, 1000])).joined(separator: ",") : "1e5"
        let end = pick(["", values + String(repeating: close, count: depth)])
        let body = #"{"average_measurements":{},"a":"# + String(repeating: open, count: depth) + end + (end.isEmpty ? "" : "}")
        let path = "/v1/entries?backend=breathesafe&route=measurement&item.user_id=5"
        let head =
            "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        return Array((head + body).utf8)
    }
}
