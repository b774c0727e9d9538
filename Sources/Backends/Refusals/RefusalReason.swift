import SyncModel

/// A member of `routes.NAME.reasons`: the meaning of an answer, in words for people.
package struct RefusalReason: Sendable {
    /// Empty for any status.
    let statuses: Set<Int>
    /// The server's words; nil for any.
    let message: CodeList?
    let words: TextTemplate
    /// The correction that makes the entry acceptable; nil for none.
    package let fix: Fix?

    package enum Fix: Hashable, Sendable {
        case field(String)
        case payload
    }

    /// Nil if the sentence needs an unknown value. `fields` are those of `identifyingFields`, with names.
    package func sentence(fields: [String: String], account: String) -> String? {
        var text = ""
        for part in words.parts {
            switch part {
            case .literal(let literal): text += literal
            case .placeholder(let placeholder):
                let value: String? = placeholder.field.map { fields[$0] } ?? account
                guard let known = value ?? (placeholder.isOptional ? "" : nil) else { return nil }
                text += known
            }
        }
        return text
    }
}

extension Backend {
    /// The first reason that fits an answer. `message` is nil once it was destroyed; reasons that need it then do not fit.
    package func reason(route name: String, status: Int?, message: String?) -> RefusalReason? {
        guard let status, let reasons = profile.routes[name]?.reasons else { return nil }
        let said = message.flatMap(words(in:)) ?? []
        let found = reasons.first { reason in
            (reason.statuses.isEmpty || reason.statuses.contains(status))
                && (message == nil || reason.message.map { said.contains(where: $0.contains) } ?? true)
        }
        return message == nil && found?.message != nil ? nil : found
    }

    /// The server's words in a message of `message(of:)`, without a full stop that it may have added; nil for Homing's own words.
    private func words(in message: String) -> [String]? {
        let start = "\(name) answered: "
        guard message.hasPrefix(start) else { return nil }
        let words = String(message.dropFirst(start.count))
        return words.hasSuffix(".") ? [words, String(words.dropLast())] : [words]
    }
}
