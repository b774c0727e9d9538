import Foundation

extension JSONSyntax {
    /// A clause about the encoding of bytes that are not JSON in plain UTF-8; nil if that looks right.
    package static func encodingFlaw(_ bytes: Data) -> String? {
        let start = Array(bytes.prefix(4))
        let expected = "expected UTF-8 without a byte order mark"
        if start.starts(with: [0xef, 0xbb, 0xbf]) { return "it starts with a byte order mark; \(expected)" }
        // JSON starts with an ASCII character and has no zero bytes.
        let isWide = start.starts(with: [0xff, 0xfe]) || start.starts(with: [0xfe, 0xff]) || start.prefix(2).contains(0)
        return isWide ? "it is in UTF-16 or UTF-32; \(expected)" : nil
    }
}
