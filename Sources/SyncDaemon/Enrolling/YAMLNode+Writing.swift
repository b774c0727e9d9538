import Backends
import ControlAPI
import Foundation
import SyncModel

extension YAMLNode {
    /// The value as YAML: tables in lines, other values on one. Text is in quotes, so that reading gives the same values.
    func written(indent: String = "") -> String {
        guard case .table(let members) = content else { return "\(indent)\(inline)\n" }
        return members.map { member -> String in
            guard case .table(let inner) = member.value.content, !inner.isEmpty else {
                return "\(indent)\(Self.name(member.key)): \(member.value.inline)\n"
            }
            return "\(indent)\(Self.name(member.key)):\n\(member.value.written(indent: indent + "  "))"
        }.joined()
    }

    private var inline: String {
        switch content {
        case .scalar(let text, let value) where value.string != nil: Self.quoted(text)
        case .scalar(let text, _): text.isEmpty ? "null" : text
        case .list(let items): "[\(items.map(\.inline).joined(separator: ", "))]"
        case .table(let members): "{\(members.map { "\(Self.name($0.key)): \($0.value.inline)" }.joined(separator: ", "))}"
        }
    }

    private static func name(_ key: String) -> String {
        key.wholeMatch(of: /[a-z][a-z_]*/) == nil ? quoted(key) : key
    }

    /// JSON text is YAML text.
    private static func quoted(_ text: String) -> String { String(decoding: JSONCoding.encoded(text), as: UTF8.self) }
}
