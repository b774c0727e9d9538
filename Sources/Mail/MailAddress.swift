/// An email address in its plain form (RFC 5321 4.1.2, without quotes), in ASCII. It can end neither a command nor a header field.
package struct MailAddress: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    /// Nil for another form, such as one with a name, quotes, angle brackets, spaces or control characters.
    package init?(_ text: String) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= 254, parts[0].utf8.count <= 64, Self.isDotted(parts[0], of: Self.letters),
            Self.isDomain(String(parts[1]))
        else { return nil }
        description = text
    }

    /// The name of a host as in addresses; `localhost` for a name that cannot be one.
    package static func domain(of host: String) -> String { isDomain(host) ? host : "localhost" }

    private static func isDomain(_ text: String) -> Bool {
        text.utf8.count <= 253 && isDotted(text[...], of: domainLetters)
            && text.split(separator: ".").allSatisfy { !$0.hasPrefix("-") && !$0.hasSuffix("-") && $0.utf8.count <= 63 }
    }

    private static func isDotted(_ text: Substring, of letters: Set<UInt8>) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { letters.contains($0) }
        }
    }

    private static let domainLetters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-".utf8)
    private static let letters = domainLetters.union("!#$%&'*+/=?^_`{|}~".utf8)
}
