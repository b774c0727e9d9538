extension String {
    /// The same field name, whose case does not count (RFC 9110 5.1).
    package func isFieldName(_ other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8) { $0.inLowerCase == $1.inLowerCase }
    }

    /// Control characters other than tab are not allowed in header values.
    package var holdsControlCharacters: Bool { utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f } }

    /// True if it arrives unchanged as a header value (RFC 9110 5.5).
    package var isFieldValue: Bool {
        guard let first = utf8.first, let last = utf8.last else { return false }
        return !holdsControlCharacters && ![first, last].contains { $0 == 0x20 || $0 == 0x09 }
    }
}

extension UInt8 {
    fileprivate var inLowerCase: UInt8 { (0x41...0x5a).contains(self) ? self | 0x20 : self }
}
