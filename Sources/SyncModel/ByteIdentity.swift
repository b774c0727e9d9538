/// A name compared by bytes, as SQLite and servers do. Swift's `==` normalises, and would confuse accounts.
package protocol ByteIdentity: Hashable, Comparable, Sendable, RawRepresentable, CustomStringConvertible, ExpressibleByStringLiteral
where RawValue == String {
    init(rawValue: String)
}

extension ByteIdentity {
    package init(_ rawValue: String) { self.init(rawValue: rawValue) }
    package init(stringLiteral value: String) { self.init(rawValue: value) }
    package var description: String { rawValue }

    package static func == (a: Self, b: Self) -> Bool { a.rawValue.utf8.elementsEqual(b.rawValue.utf8) }
    package static func < (a: Self, b: Self) -> Bool { a.rawValue.utf8.lexicographicallyPrecedes(b.rawValue.utf8) }
    package func hash(into hasher: inout Hasher) {
        for byte in rawValue.utf8 { hasher.combine(byte) }
        hasher.combine(0xff as UInt8)
    }
}

/// The server's id of an account.
package struct AccountID: ByteIdentity, Codable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}

/// An order group: entries are sent one at a time, oldest first.
package struct Lane: ByteIdentity {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}
