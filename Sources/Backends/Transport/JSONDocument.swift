import Foundation
import SyncModel

/// A JSON document that stays its bytes and is read only where one looks: an answer may repeat the largest document, as a tree of which it
/// would take twenty times its memory.
package struct JSONDocument: Sendable {
    private let bytes: Data

    /// Nil where it is not JSON.
    package init?(_ bytes: Data) {
        self.bytes = bytes
        guard read({ _ in true }) != nil else { return nil }
    }

    /// What is known to be JSON.
    init(checked bytes: Data) { self.bytes = bytes }

    /// What stands at a pointer.
    enum Resolution: Hashable {
        case scalar(JSONValue)
        /// An object or an array, whose members nobody asks for.
        case structure
        /// A null stands there, or on the way: the document says that there is no such value.
        case null
        /// The document does not speak of it.
        case missing

        var value: JSONValue? { if case .scalar(let value) = self { value } else { nil } }
    }

    func resolve(_ pointer: JSONPointer) -> Resolution { read { try Self.resolve(pointer, in: $0) } ?? .missing }

    /// The scalar that stands at `pointer`; nil for null, nothing and what is none.
    func at(_ pointer: JSONPointer) -> JSONValue? { resolve(pointer).value }

    /// The scalar that stands under that key at the top; nil for null, nothing and what is none.
    func member(_ key: String) -> JSONValue? { at(JSONPointer(tokens: [key])) }

    /// The scalar at the first of `pointers` that leads to one.
    func at(_ pointers: [JSONPointer]) -> JSONValue? { pointers.lazy.compactMap { at($0) }.first }

    /// The first *string* that stands at one of `pointers`.
    func firstString(at pointers: [JSONPointer]) -> String? { pointers.lazy.compactMap { at($0)?.string }.first }

    /// Whether something other than null stands there.
    func has(_ pointer: JSONPointer) -> Bool {
        read { decoder in if case .found = try Self.find(pointer, in: decoder) { true } else { false } } ?? false
    }

    /// Of every item of the list at `pointer` the scalars at `columns`, nil for null, nothing and what is none; nil where there is no list.
    func rows(of pointer: JSONPointer, _ columns: [JSONPointer]) -> [[JSONValue?]]? {
        read { decoder in
            guard case .found(let place) = try Self.find(pointer, in: decoder), var items = try? place.unkeyedContainer() else {
                return nil
            }
            var rows: [[JSONValue?]] = []
            while !items.isAtEnd {
                let item = try items.superDecoder()
                rows.append(try columns.map { try Self.resolve($0, in: item).value })
            }
            return rows
        }
    }

    /// Nil where it is not JSON, and where `body` says so.
    private func read<T>(_ body: @escaping (any Decoder) throws -> T?) -> T? {
        // `try?`: the reason is of no use to a caller that only asks what stands there.
        (try? JSONDecoder().decode(Reading<T>.self, from: bytes, configuration: body))?.value
    }

    private struct Reading<T>: DecodableWithConfiguration {
        let value: T?
        init(from decoder: any Decoder, configuration: (any Decoder) throws -> T?) throws { value = try configuration(decoder) }
    }

    private enum Place {
        case found(any Decoder)
        case null, missing
    }

    private static func resolve(_ pointer: JSONPointer, in decoder: any Decoder) throws -> Resolution {
        switch try find(pointer, in: decoder) {
        case .found(let place): JSONValue(scalarIn: try place.singleValueContainer()).map(Resolution.scalar) ?? .structure
        case .null: .null
        case .missing: .missing
        }
    }

    private static func find(_ pointer: JSONPointer, in decoder: any Decoder) throws -> Place {
        var place = decoder
        for token in pointer.tokens {
            if try place.singleValueContainer().decodeNil() { return .null }
            guard let next = try step(token, in: place) else { return .missing }
            place = next
        }
        return try place.singleValueContainer().decodeNil() ? .null : .found(place)
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
