import Foundation

extension JSONPointer {
    /// Whether something other than null stands there in `document`, which is read without building a tree of it.
    func isPresent(in document: Data) -> Bool {
        let decoder = JSONDecoder()
        decoder.userInfo[Presence.key] = tokens
        // `try?`: in what is no JSON, nothing stands anywhere.
        return (try? decoder.decode(Presence.self, from: document))?.isThere ?? false
    }
}

/// Walks down to one place of a document.
private struct Presence: Decodable {
    static let key = CodingUserInfoKey(rawValue: "tokens")!  // nil for no text at all
    let isThere: Bool

    init(from root: any Decoder) throws {
        let tokens = root.userInfo[Self.key] as? [String] ?? []
        isThere =
            try tokens[...].reduce(root as (any Decoder)?) { decoder, token in try decoder.flatMap { try Self.step(token, in: $0) } }
            .map { try !$0.singleValueContainer().decodeNil() } ?? false
    }

    /// What stands one step further down; nil for nothing.
    private static func step(_ token: String, in decoder: any Decoder) throws -> (any Decoder)? {
        // `try?`: what is no object is tried as an array, and what is neither holds nothing.
        if let members = try? decoder.container(keyedBy: Key.self) {
            let key = Key(stringValue: token)
            return members.contains(key) ? try members.superDecoder(forKey: key) : nil
        }
        guard let index = Int(token), index >= 0, String(index) == token, var items = try? decoder.unkeyedContainer(),
            index < items.count ?? 0
        else { return nil }
        for _ in 0..<index { _ = try items.superDecoder() }
        return try items.superDecoder()
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
