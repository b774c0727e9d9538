import Foundation

/// Why a text is not JSON.
package struct JSONSyntaxError: Error, CustomStringConvertible {
    package let description: String
}

extension JSON {
    private static let deepestNesting = 100

    /// Reads JSON as strictly as Ruby's parser does: no NaN, no nesting over 100 levels, no comma after the last element.
    package init(bytes: [UInt8]) throws(JSONSyntaxError) {
        do {
            self = try JSON(try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed), depth: 0)
        } catch let error as JSONSyntaxError {
            throw error
        } catch {
            let reason = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String
            throw JSONSyntaxError(description: reason ?? error.localizedDescription)
        }
        // Foundation lets this comma pass.
        let unquoted = String(decoding: bytes, as: UTF8.self)
            .replacingOccurrences(of: #""[^"\\]*+(?:\\.[^"\\]*+)*+""#, with: "0", options: .regularExpression)
        guard unquoted.range(of: #",\s*[\]}]"#, options: .regularExpression) == nil else {
            throw JSONSyntaxError(description: "a comma after the last element")
        }
    }

    private init(_ value: Any, depth: Int) throws {
        guard depth < Self.deepestNesting || !(value is [Any] || value is [String: Any]) else {
            throw JSONSyntaxError(description: "more than \(Self.deepestNesting) levels")
        }
        switch value {
        case let text as String: self = .string(text)
        case let elements as [Any]: self = .array(try elements.map { try JSON($0, depth: depth + 1) })
        case let members as [String: Any]: self = .object(try members.mapValues { try JSON($0, depth: depth + 1) })
        case let number as NSNumber: self = JSON(number)
        default: self = .null
        }
    }

    private init(_ number: NSNumber) {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "c"), UInt8(ascii: "B"): self = .bool(number.boolValue)
        case UInt8(ascii: "i"), UInt8(ascii: "q"): self = .int(number.intValue)
        default: self = .double(number.doubleValue)  // also a whole number that fits no Int
        }
    }
}

extension JSON: Encodable, CustomStringConvertible {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        // A sum can be too great for a number; Rails writes null then.
        case .double(let value): try value.isFinite ? container.encode(value) : container.encodeNil()
        case .string(let text): try container.encode(text)
        case .array(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        }
    }

    /// The value as compact JSON in UTF-8: the same value, the same bytes.
    package var bytes: [UInt8] {
        // A value of this type always encodes.
        (try? SandboxJSON.encoder.encode(self)).map { Array($0) } ?? []
    }

    /// The value as compact JSON.
    package var description: String { String(decoding: bytes, as: UTF8.self) }
}
