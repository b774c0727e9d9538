import HTTPTypes

extension SandboxResponse {
    /// The tokens in the body and the cookie values that the response sets, which a client must keep secret.
    package var secrets: [String] {
        var found: [String] = headers[values: .setCookie].compactMap { line in
            line.split(separator: ";").first?.split(separator: "=", maxSplits: 1).dropFirst().first.map(String.init)
        }
        // `try?`: a body that is not JSON holds no token.
        if let json = try? JSON(bytes: body) { Self.collect(json, into: &found) }
        return found.filter { $0.utf8.count >= 16 }
    }

    private static func collect(_ json: JSON, into found: inout [String]) {
        for element in json.elements ?? [] { collect(element, into: &found) }
        for (name, value) in json.members ?? [:] {
            let isToken = name.lowercased().hasSuffix("token")
            if isToken, let text = value.text { found.append(text) } else { collect(value, into: &found) }
        }
    }
}
