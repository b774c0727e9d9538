extension RequestTemplate {
    /// In seconds.
    static let timeouts = 0.1...3600.0

    /// The words for `request`.
    static let line = "\"METHOD /path\" or \"METHOD https://…\""

    static func request(in table: String, _ example: String, _ meaning: String) -> DeclaredKey {
        .key("\(table).request", line, example, meaning).required
    }

    /// The optional keys beside `request`.
    ///
    /// - Parameter body: an example for `json` and `form`.
    static func keys(in table: String, _ keys: Keys, body: String) -> [DeclaredKey] {
        var declared: [DeclaredKey] = []
        if keys.contains(.json) {
            declared.append(.key("\(table).json", "any value, with placeholders", body, "The body of the request, as JSON."))
        }
        if keys.contains(.form) {
            declared.append(.table("\(table).form", body, "The body of the request, as a form; excludes `json`."))
        }
        if keys.contains(.headers) {
            declared.append(
                .table(
                    "\(table).headers", "{X-Platform: linux}",
                    "Headers of the request, in addition to the profile’s; one of the same name replaces the profile’s."))
        }
        if keys.contains(.timeout) {
            declared.append(
                .seconds("\(table).timeout", in: timeouts, "10", "The longest time without a byte in either direction.")
                    .usually("`timeout` of the profile"))
        }
        return declared
    }
}
