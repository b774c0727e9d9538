extension String {
    /// Control characters other than tab are not allowed in header values.
    package var holdsControlCharacters: Bool { utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f } }

    /// True if it arrives unchanged as a header value (RFC 9110 5.5): not empty, no control characters, no surrounding white space.
    package var isFieldValue: Bool {
        guard let first = utf8.first, let last = utf8.last else { return false }
        return !holdsControlCharacters && ![first, last].contains { $0 == 0x20 || $0 == 0x09 }
    }
}
