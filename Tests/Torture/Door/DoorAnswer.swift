struct DoorAnswer: Sendable {
    let status: Int
    let body: String

    /// Parses consecutive responses except 100 Continue, by their lengths, since a body may look like a response.
    static func all(in bytes: [UInt8]) -> [DoorAnswer] {
        var answers: [DoorAnswer] = []
        var rest = bytes[...]
        while let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) {
            let head = String(decoding: rest[..<end.lowerBound], as: UTF8.self).split(whereSeparator: \.isNewline)
            guard let first = head.first, first.hasPrefix("HTTP/1.1 "), let status = Int(first.dropFirst(9).prefix(3)) else { break }
            rest = rest[end.upperBound...]
            var body: [UInt8] = []
            func value(_ name: String) -> Substring? {
                head.first { $0.lowercased().hasPrefix(name + ":") }?.drop { $0 != ":" }.dropFirst().drop { $0 == " " }
            }
            if let length = value("content-length").flatMap({ Int($0) }) {
                // A response to HEAD has a length but no body.
                if !rest.starts(with: "HTTP/1.1 ".utf8) {
                    body = Array(rest.prefix(length))
                    rest = rest.dropFirst(length)
                }
            } else if value("transfer-encoding") == "chunked" {
                body = chunks(&rest)
            }
            if status != 100 { answers.append(DoorAnswer(status: status, body: String(decoding: body, as: UTF8.self))) }
        }
        return answers
    }

    private static func chunks(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        var body: [UInt8] = []
        while let line = rest.firstRange(of: [13, 10]) {
            let size = Int(String(decoding: rest[..<line.lowerBound], as: UTF8.self), radix: 16) ?? 0
            rest = rest[line.upperBound...]
            body += rest.prefix(size)
            rest = rest.dropFirst(size + 2)
            if size == 0 { break }
        }
        return body
    }
}
