import Foundation

extension String {
    /// For the value of a header field: the text itself if it is short printable ASCII, else words encoded by RFC 2047, of at most 75 characters.
    var encodedWords: [String] {
        let isPlain = utf8.count <= 60 && utf8.allSatisfy { (0x20...0x7e).contains($0) } && !contains("=?")
        return isPlain ? [self] : pieces(ofAtMost: 39).map { "=?utf-8?B?\(Data($0.utf8).base64EncodedString())?=" }
    }

    /// At most so many bytes each; no piece ends within a character.
    private func pieces(ofAtMost most: Int) -> [String] {
        var pieces = [""]
        for scalar in unicodeScalars {
            if pieces[pieces.count - 1].utf8.count + String(scalar).utf8.count > most { pieces.append("") }
            pieces[pieces.count - 1].unicodeScalars.append(scalar)
        }
        return pieces
    }

    /// Lines of at most 76 characters of printable ASCII (RFC 2045 6.7).
    var quotedPrintable: [String] {
        split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).flatMap { Self.quotedPrintable(line: Array($0.utf8)) }
    }

    private static func quotedPrintable(line bytes: [UInt8]) -> [String] {
        var lines = [""]
        for (index, byte) in bytes.enumerated() {
            // A space at the end of a line may be lost on the way.
            let isPlain = byte == UInt8(ascii: " ") ? index < bytes.count - 1 : (0x21...0x7e).contains(byte) && byte != UInt8(ascii: "=")
            let digits = String(byte, radix: 16, uppercase: true)
            let piece = isPlain ? String(UnicodeScalar(byte)) : "=\(digits.count < 2 ? "0" : "")\(digits)"
            if lines[lines.count - 1].utf8.count + piece.utf8.count > 75 {
                lines[lines.count - 1] += "="
                lines.append("")
            }
            lines[lines.count - 1] += piece
        }
        return lines
    }
}
