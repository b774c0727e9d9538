import Foundation
import SyncModel

extension JSONValue {
    /// At most 512 levels; nil for invalid JSON.
    package init?(parsing bytes: Data) {
        // `try?`: only validity matters here. The limit bounds the recursion below.
        guard let (document, _) = try? JSONSyntax.document(bytes, .submitted(levels: 512)) else { return nil }
        self = document.root.value
    }

    /// A JSON scalar if `text` reads as one, otherwise text.
    package init(argument text: String) {
        // An id such as 5e1, or one too long for an integer, stays text.
        switch JSONValue(parsing: Data(text.utf8)) {
        case .some(.int(let whole)) where String(whole) == text: self = .int(whole)
        case .some(.number(let number)) where number.contains(".") && !number.contains(where: { "eE".contains($0) }): self = .number(number)
        case .some(.string(let string)): self = .string(string)
        case .some(.bool(let flag)): self = .bool(flag)
        case .some(.null): self = .null
        default: self = .string(text)
        }
    }
}

extension JSONElement {
    package var value: JSONValue {
        switch kind {
        case .object: .object(Dictionary(members.map { ($0.name, $0.value.value) }) { _, last in last })
        case .array: .array(elements.map(\.value))
        default: scalar ?? .null
        }
    }
}
