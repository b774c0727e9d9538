import Foundation

/// JSON as it is on the control channel: RFC 3339 times in UTC with milliseconds, sorted keys.
public enum JSONCoding {
    public static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            // The format cuts off what is below a millisecond, and most times are stored as a little less than they are.
            try container.encode(date.inMilliseconds.addingTimeInterval(0.000_25).formatted(style))
        }
        return encoder
    }

    public static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard let date = try? style.parse(text) else {  // `try?`: the error below says it better
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected an RFC 3339 time, found ‘\(text)’")
            }
            return date.inMilliseconds
        }
        return decoder
    }

    /// The wire types hold nothing that JSON cannot say, so encoding them always succeeds.
    public static func encoded(_ value: some Encodable) -> Data {
        do { return try encoder.encode(value) } catch { preconditionFailure("\(type(of: value)) does not encode: \(error)") }
    }

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}

extension Date {
    /// The nearest whole millisecond.
    fileprivate var inMilliseconds: Date { Date(timeIntervalSince1970: (timeIntervalSince1970 * 1000).rounded() / 1000) }
}
