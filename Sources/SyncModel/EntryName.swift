/// An entry's full id, its number, or a part of its id.
package struct EntryName: Sendable, Equatable {
    /// The full id. If set, the other readings are nil.
    package let id: MutationID?
    /// The sequence, as `12` or `#12`.
    package let number: Int64?
    /// 4 to 35 characters from the beginning or end of an id, in lower case. Digits may be a number and a part.
    package let part: String?

    /// Nil if `text` is none of these.
    package init?(_ text: String) {
        let lower = text.lowercased()
        let digits = lower.hasPrefix("#") ? lower.dropFirst() : lower[...]
        let isNumber = digits.first != "0" && digits.count <= 18 && digits.allSatisfy { "0123456789".contains($0) }
        let isPart = (4..<36).contains(lower.count) && lower.allSatisfy { "0123456789abcdef-".contains($0) }
        id = MutationID(lower)
        number = isNumber ? Int64(digits) : nil
        part = isPart ? lower : nil
        if id == nil && number == nil && part == nil { return nil }
    }

    /// The end of an id, as lists show it.
    package static func short(_ id: String) -> String { String(id.suffix(12)) }
}

extension EntryName: CustomStringConvertible {
    /// For sentences: `the number 12`, or `an id that begins or ends with ‘3f2a’`.
    package var description: String {
        let part = part.map { "an id that begins or ends with ‘\($0)’" }
        return [id.map { "the id \($0)" }, number.map { "the number \($0)" }, part].compactMap(\.self).joined(separator: " or ")
    }
}
