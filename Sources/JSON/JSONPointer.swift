/// A JSON pointer (RFC 6901), e.g. `/currentUser/id`.
package struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
    package let tokens: [String]

    package init(tokens: [String]) { self.tokens = tokens }

    /// Nil unless empty (the whole document) or starting with a slash, with `~` only in `~0` and `~1`.
    package init?(_ text: String) {
        guard text.isEmpty || text.hasPrefix("/") else { return nil }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        var tokens: [String] = []
        for part in parts {
            let bare = String(part).replacing("~0", with: "").replacing("~1", with: "")
            guard !bare.contains("~") else { return nil }
            tokens.append(String(part).replacing("~1", with: "/").replacing("~0", with: "~"))
        }
        self.tokens = tokens
    }

    package var description: String {
        tokens.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
    }
}
