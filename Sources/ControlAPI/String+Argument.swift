extension String {
    /// Quotes the text as one shell argument if necessary.
    package var asArgument: String {
        allSatisfy { $0.isLetter || $0.isNumber || "@.+-_".contains($0) } && !hasPrefix("-") && !isEmpty
            ? self : "'" + replacing("'", with: "'\\''") + "'"
    }
}
