import Foundation
import SyncModel

extension JSON: CustomStringConvertible {
    /// Compact UTF-8 JSON with sorted keys; equal values give equal bytes.
    package var bytes: [UInt8] { Array(value.serialized) }

    package var description: String { String(decoding: bytes, as: UTF8.self) }

    private var value: JSONValue {
        switch self {
        case .null: .null
        case .bool(let flag): .bool(flag)
        case .int(let whole): .int(Int64(whole))
        case .large(let digits): .number(digits)
        case .double(let number): number.isFinite ? .number(Self.text(of: number)) : .null  // as in Rails
        case .string(let text): .string(text)
        case .array(let elements): .array(elements.map(\.value))
        case .object(let members): .object(members.mapValues(\.value))
        }
    }

    /// The shortest decimal that reads back as this number.
    private static func text(of number: Double) -> String {
        let text = number.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

enum SandboxJSON {
    static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(date.railsTimestamp)
        }
        return encoder
    }
}

extension Date {
    /// The Rails timestamp, `2026-11-20T15:30:48.897Z`.
    package var railsTimestamp: String {
        formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// The HTTP date, `Fri, 04 Dec 2026 15:35:59 GMT`.
    package var httpDate: String {
        var utc = Calendar(identifier: .gregorian)
        utc.timeZone = .gmt
        let parts = utc.dateComponents([.weekday, .day, .month, .year, .hour, .minute, .second], from: self)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int?) -> String { String(format: "%02d", number ?? 0) }
        return "\(days[(parts.weekday ?? 1) - 1]), \(two(parts.day)) \(months[(parts.month ?? 1) - 1]) \(parts.year ?? 0) "
            + "\(two(parts.hour)):\(two(parts.minute)):\(two(parts.second)) GMT"
    }
}
