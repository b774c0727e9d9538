import Foundation

/// JSON as it is on the control channel: RFC 3339 times in UTC with milliseconds, sorted keys.
public enum JSONCoding {
    public static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(Self.text(date))
        }
        return encoder
    }

    public static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard let date = Self.date(text) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected an RFC 3339 time, found ‘\(text)’")
            }
            return date
        }
        return decoder
    }

    /// A time as it is on the wire. One that has no form there, as where a bit of it has changed on the disk, is the first or the last that has:
    /// one such time must not make all that is told beside it unreadable.
    public static func text(_ date: Date) -> String {
        // The format cuts off what is below a millisecond, and most times are stored as a little less than they are.
        min(max(date.inMilliseconds, first), last).addingTimeInterval(0.000_25).formatted(style)
    }

    /// From the year 1600, before which calendars disagree, to 9999, the last with four digits
    /// (https://www.rfc-editor.org/rfc/rfc3339#section-5.6).
    private static let first = Date(timeIntervalSince1970: -11_676_096_000)
    private static let last = Date(timeIntervalSince1970: 253_402_300_799)

    /// The time that `text` is on the wire; nil where it is none.
    public static func date(_ text: String) -> Date? {
        // `try?`: what is of neither form is told by nil, and whoever asks says it better.
        ((try? style.parse(text)) ?? (try? Date.ISO8601FormatStyle().parse(text)))?.inMilliseconds
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
