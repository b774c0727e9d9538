import Foundation

struct DropHazard: Sendable {
    enum Fate: Hashable, Sendable {
        case delivered
        /// Moved to `refused/` with a reason that contains this text.
        case refused(String)
        /// Left in place and reported, as not acceptable or not permitted.
        case stuck
        case unclaimed
        /// Ignored: hidden or unfinished.
        case left
    }

    let words: String
    /// Below `new/`, as bytes, since a name need not be UTF-8.
    let path: [UInt8]
    let content: [UInt8]
    let fate: Fate

    private init(_ words: String, _ path: some Sequence<UInt8>, _ content: some Sequence<UInt8>, _ fate: Fate) {
        self.words = words
        self.path = Array(path)
        self.content = Array(content)
        self.fate = fate
    }

    /// A capture with a unique mark.
    static func capture(_ mark: Int) -> String {
        #"{"timestamp":\#(mark),"average_measurements":{"14-818":{"value":17.25,"description":"nose"}}}"#
    }

    static let names: [DropHazard] = {
        let uuid = "00000000-0000-7000-8000-000000000077"
        let names: [(String, [UInt8])] = [
            ("a leading dash", Array("-rf".utf8)), ("an option", Array("--help.json".utf8)),
            ("a line break", Array("a\nFORGED line\r.json".utf8)),
            ("terminal codes", Array("\u{1b}[2J\u{1b}]0;FORGED\u{7}a.json".utf8)), ("two dots inside", Array("x..json".utf8)),
            ("encoded dots and slashes", Array("%2e%2e%2f%2e%2e%2fa.json".utf8)), ("dots and backslashes", Array("\\..\\..\\a.json".utf8)),
            ("shell commands", Array("$(reboot);`id`|a&b>c.json".utf8)), ("spaces around it", Array("  a.json  ".utf8)),
            ("bidirectional text", Array("a\u{202e}nosj.\u{2066}exe\u{2069}".utf8)), ("zero-width text", Array("\u{200b}\u{feff}".utf8)),
            ("invalid UTF-8", [0xff, 0xfe, 0x80] + Array(".json".utf8)), ("a surrogate", [0xed, 0xa0, 0x80] + Array(".json".utf8)),
            ("255 bytes", Array(repeating: 0x61, count: 250) + Array(".json".utf8)),
            ("255 bytes of joined letters", Array(String(repeating: "e\u{301}\u{302}\u{303}", count: 36).utf8)),
            ("control characters", (1..<0x20).filter { $0 != 0x2f }.map { UInt8($0) }), ("a tilde", Array("~".utf8)),
            ("tildes", Array("~~~~~~".utf8)), ("the form of a taken name", Array("\(uuid)~breathesafe~2~5~a.json".utf8)),
            ("the form of a taken name with a path upwards", Array("\(uuid)~breathesafe~..%2f..~5~..".utf8)),
            ("the form of a reason file", Array("a.json.reason".utf8)),
            ("a plain name", Array("capture.json".utf8)), ("the name of a folder", Array("refused".utf8)),
        ]
        return names.enumerated().map {
            DropHazard("a name with \($1.0)", Array("users/5/".utf8) + $1.1, capture(1000 + $0).utf8, .delivered)
        }
    }()

    /// Invalid captures, with texts of the reasons.
    static let contents: [DropHazard] = {
        let open = #"{"average_measurements":{"a":"#
        let bom: [UInt8] = [0xef, 0xbb, 0xbf]
        let flags = Array(repeating: "true", count: 1_000_000).joined(separator: ",")
        let wide = capture(2).utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
        let measurements = #""measurements":{"average_measurements":{"1-2":{"value":1}}}"#
        let contents: [(String, [UInt8], String)] = [
            ("no content", [], "empty"), ("white space", Array(" \n ".utf8), "JSON"), ("NaN", Array("\(open)NaN}}".utf8), "JSON"),
            ("Infinity", Array("\(open)-Infinity}}".utf8), "JSON"), ("a number out of range", Array("\(open)1e999}}".utf8), "JSON"),
            ("a hundred thousand digits and an exponent", Array("\(open)1\(String(repeating: "0", count: 100_000))e9}}".utf8), "JSON"),
            (
                "a hundred thousand levels",
                Array((open + String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000) + "}}").utf8), ""
            ),
            (
                "a million flags at five hundred levels",
                Array((String(repeating: "[", count: 500) + flags + String(repeating: "]", count: 500)).utf8), "JSON"
            ),
            ("a hundred thousand levels without an end", Array(String(repeating: #"{"average_measurements":"#, count: 100_000).utf8), ""),
            ("a byte order mark", bom + Array(capture(3).utf8), "JSON"), ("UTF-16", wide, "JSON"),
            ("UTF-16 with its mark", [0xff, 0xfe] + wide, "JSON"),
            ("invalid UTF-8", Array(#"{"average_measurements":{"a":""#.utf8) + [0xff, 0xc0, 0x80] + Array(#""}}"#.utf8), "JSON"),
            ("half a surrogate pair", Array(#"{"average_measurements":{"a":"\ud800"}}"#.utf8), "JSON"),
            ("NULs", [UInt8](repeating: 0, count: 4096), "JSON"), ("a NUL at the end", Array(capture(4).utf8) + [0], "JSON"),
            ("a second document at the end", Array((capture(5) + capture(6)).utf8), "JSON"),
            ("its end cut off", Array(capture(7).utf8.dropLast(9)), "JSON"),
            ("an extra comma", Array(#"{"average_measurements":{"a":1,}}"#.utf8), "JSON"),
            ("a list", Array("[\(capture(8))]".utf8), "JSON"),
            ("a string", Array(#""average_measurements""#.utf8), "JSON"), ("no measurements", Array("{}".utf8), "average_measurements"),
            ("measurements of another type", Array(#"{"average_measurements":[]}"#.utf8), "average_measurements"),
            ("another user", Array("{\(measurements),\"userId\":6}".utf8), "user 6"),
            ("a negative user", Array("{\(measurements),\"userId\":-5}".utf8), "userId"),
            ("a user with a fraction", Array("{\(measurements),\"userId\":5.5}".utf8), "userId"),
            ("two users", Array("{\"userId\":6,\(measurements),\"userId\":5}".utf8), "twice"),
            ("two users, one of them disguised", Array("{\"userId\":6,\(measurements),\"\\u0075serId\":5}".utf8), "twice"),
            ("measurements twice", Array("{\"userId\":5,\(measurements),\(measurements)}".utf8), "twice"),
            ("a program", Array("\u{7f}ELF".utf8) + [UInt8](repeating: 0x90, count: 9000), "JSON"),
            ("33 MiB", [UInt8](repeating: 0x20, count: 33 << 20), "MiB"),
        ]
        return contents.enumerated().map { DropHazard("a file with \($1.0)", "users/5/bad-\($0).json".utf8, $1.1, .refused($1.2)) }
    }()

    static let places: [DropHazard] = [
        DropHazard("a hidden file", "users/5/.hidden".utf8, capture(20).utf8, .left),
        DropHazard("three dots", "users/5/...".utf8, capture(21).utf8, .left),
        DropHazard("a partial file", "users/5/a.json.part".utf8, capture(22).utf8, .left),
        DropHazard("a temporary file", "a.json.tmp".utf8, capture(23).utf8, .left),
        DropHazard(
            "a name that binds the file to an unknown account",
            "users/5/.taking~00000000-0000-7000-8000-000000000078~0123456789abcdef0123456789abcdef~5~a.json".utf8,
            capture(24).utf8, .unclaimed),
        DropHazard(
            "a name that binds the file to no account", "users/5/.taking~00000000-0000-7000-8000-000000000079~~5~a.json".utf8,
            capture(25).utf8, .unclaimed),
        DropHazard(
            "a name that only seems bound to an account", "users/5/.taking~00000000-0000-7000-8000-000000000080~ann~5~a.json".utf8,
            capture(35).utf8, .left),
        DropHazard(
            "a refused name that forges a log line", "users/5/r\nFORGED line.json".utf8, "{}".utf8, .refused("average_measurements")),
        DropHazard(
            "a refused name with terminal codes", "users/5/r\u{1b}[2J\u{9b}1m.json".utf8, "{}".utf8, .refused("average_measurements")),
        DropHazard("a refused name with reversed text", "users/5/r\u{202e}nosj.exe".utf8, "{}".utf8, .refused("average_measurements")),
        DropHazard("a file without a user", "b.json".utf8, capture(26).utf8, .refused("new/users/")),
        DropHazard("a file of user 0", "users/0/a0.json".utf8, capture(27).utf8, .refused("above 0")),
        DropHazard("a file of user 05", "users/05/a05.json".utf8, capture(28).utf8, .refused("above 0")),
        DropHazard("a file of user 5-anna", "users/5-anna/aanna.json".utf8, capture(29).utf8, .refused("")),
        DropHazard("a file of a user whose name has a line break", "users/5\n/anl.json".utf8, capture(30).utf8, .refused("white space")),
        DropHazard("a file of a user whose name is an encoded path upwards", "users/%2e%2e/aup.json".utf8, capture(31).utf8, .refused("")),
        DropHazard(
            "a file of a user whose name is invalid UTF-8", Array("users/".utf8) + [0xff] + Array("/ab.json".utf8), capture(32).utf8,
            .refused("UTF-8")),
        DropHazard(
            "a file of a user with 255 digits", Array("users/".utf8) + [UInt8](repeating: 0x35, count: 255) + Array("/along.json".utf8),
            capture(33).utf8, .refused("too long")),
        DropHazard("a file of a user in Arabic digits", "users/٥/aar.json".utf8, capture(34).utf8, .refused("")),
    ]
}
