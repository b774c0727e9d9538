extension String {
    /// Whether it holds what may stand nowhere in the value of a header: a line break or any other control character but a tab.
    var holdsControlCharacters: Bool { utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f } }

    /// Whether it can be sent as the value of a header and arrives as it is (RFC 9110 5.5): it is not empty, holds no control characters, and
    /// neither begins nor ends with white space.
    var isFieldValue: Bool {
        guard let first = utf8.first, let last = utf8.last else { return false }
        return !holdsControlCharacters && ![first, last].contains { $0 == 0x20 || $0 == 0x09 }
    }
}
