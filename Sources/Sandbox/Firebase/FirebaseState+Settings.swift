extension FirebaseState {
    /// The settings that can change at run time. `revoked` triggers an event and always reads as empty.
    var settings: JSONObject {
        [
            "disabled": .array(disabled.sorted().map { .string($0) }), "deleted": .array(deleted.sorted().map { .string($0) }),
            "revoked": [], "hides-accounts": .bool(hidesAccounts), "second-factor": .bool(wantsSecondFactor),
            "api-key": .text(configuration.apiKey), "renewal": .string(configuration.renewal.rawValue),
        ]
    }

    /// Changes a setting; false if the project has no such setting.
    mutating func change(_ name: String, to value: JSON) throws(FaultProblem) -> Bool {
        switch name {
        case "disabled": disabled = Set(try accounts(value, of: name).map(\.email))
        case "deleted": deleted = Set(try accounts(value, of: name).map(\.email))
        case "revoked": for account in try accounts(value, of: name) { revokeRefreshTokens(of: account) }
        case "hides-accounts": hidesAccounts = try value.flag(of: name)
        case "second-factor": wantsSecondFactor = try value.flag(of: name)
        case "api-key": configuration.apiKey = try value.text(of: name)
        case "renewal": configuration.renewal = try value.word(of: name)
        default: return false
        }
        return true
    }

    private func accounts(_ value: JSON, of name: String) throws(FaultProblem) -> [SandboxAccount] {
        let found = (value.elements ?? []).compactMap { configuration.accounts.account(email: $0.text) }
        guard let elements = value.elements, found.count == elements.count else {
            let known = configuration.accounts.map(\.email).joined(separator: ", ")
            throw FaultProblem(description: "\(name): expected an array of these e-mail addresses: \(known)")
        }
        return found
    }
}
