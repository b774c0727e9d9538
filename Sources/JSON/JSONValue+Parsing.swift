import Foundation
import SyncModel

extension JSONValue {
    /// Reads a whole document of at most 512 levels, which may be a scalar; nil for anything that is not JSON.
    package init?(parsing bytes: Data) {
        // `try?`: only whether it is JSON matters here. The number of levels bounds the recursion below.
        guard (try? JSONSyntax.check(bytes, .submitted(levels: 512))) != nil else { return nil }
        self = JSONDocument(checked: bytes).root.value
    }

    /// What `text` of a command line or a query means: a JSON scalar where it reads as one, else the text itself.
    package init(argument text: String) {
        // An id such as 5e1, or with more digits than fit, stays the text that it is.
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
    /// The value as a tree.
    package var value: JSONValue {
        switch kind {
        case .object: .object(Dictionary(members.map { ($0.name, $0.value.value) }) { _, last in last })
        case .array: .array(elements.map(\.value))
        default: scalar ?? .null
        }
    }
}
