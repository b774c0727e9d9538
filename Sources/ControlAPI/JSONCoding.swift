import Foundation

/// JSON on the control channel: RFC 3339 times in UTC with milliseconds, sorted keys.
public enum JSONCoding {
    /// A new one, which the caller may change.
    public static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(Self.text(date))
        }
        return encoder
    }

    public static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard let date = Self.date(text, in: .current) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected an RFC 3339 time, found ‘\(text)’")
            }
            return date
        }
        return decoder
    }()

    /// Clamps times beyond RFC 3339, so that one bad value does not make a whole response undecodable.
    public static func text(_ date: Date) -> String {
        // The format truncates, and most stored times are slightly too small.
        min(max(date.inMilliseconds, first), last).addingTimeInterval(0.000_25).formatted(style)
    }

    /// The year 1600, before which calendars disagree; the last is 9999 (RFC 3339 5.6).
    private static let first = Date(timeIntervalSince1970: -11_676_096_000)
    private static let last = Date(timeIntervalSince1970: 253_402_300_799)

    /// Nil if `text` is not a valid time with an offset. Seconds may be left out.
    public static func date(_ text: String) -> Date? { complete(text) ?? text.withSeconds.flatMap(complete) }

    /// Parses a time from a person or a program. Without an offset, it is a time of `timeZone`.
    public static func date(_ text: String, in timeZone: TimeZone) -> Date? {
        if !text.hasSuffix("Z"), let time = LocalTime(text) { return time.date(in: timeZone) }
        return date(text)
    }

    /// Why a time in an accepted form is none, as a sentence after a space; otherwise empty.
    static func mistake(in text: String, _ timeZone: TimeZone) -> String {
        if text.hasLeapSecond { return " The seconds of a time are from 00 to 59." }
        let isMissing = LocalTime(text).map { $0.date(in: timeZone) == nil } ?? LocalDay(text).map { $0.start(in: timeZone) == nil }
        return isMissing == true ? " \(noSuchTime)" : ""
    }

    /// For a well-formed time that no clock shows.
    package static let noSuchTime = "There is no such day, or the clocks of this time zone are set forward over that time."

    /// The forms of a time that the daemon accepts, for error messages.
    static let timeForms = "a time such as 2025-03-11T14:00Z, 2025-03-11T21:00:00.000+07:00 or, in local time, 2025-03-11T14:00"

    private static func complete(_ text: String) -> Date? {
        // Foundation would count it as the next minute.
        if text.hasLeapSecond { return nil }
        // `try?`: nil means neither form matched; the caller reports it.
        return ((try? style.parse(text)) ?? (try? Date.ISO8601FormatStyle().parse(text)))?.inMilliseconds
    }

    /// Never fails: the wire types contain only values that JSON can express.
    public static func encoded(_ value: some Encodable) -> Data {
        do { return try shared.encode(value) } catch { preconditionFailure("\(type(of: value)) does not encode: \(error)") }
    }

    // To make one takes longer than to encode most answers.
    private static let shared = encoder
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}

extension String {
    /// True for a second 60 (RFC 3339 5.6), which the times of computers do not have.
    fileprivate var hasLeapSecond: Bool {
        let clock = (firstIndex { "Tt ".contains($0) }).map { self[index(after: $0)...] } ?? ""
        let parts = clock.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count >= 3 && parts[2].hasPrefix("60")
    }

    /// `2025-03-11T14:00:00Z` for `2025-03-11T14:00Z`; nil for any other form.
    fileprivate var withSeconds: String? {
        guard let mark = firstIndex(of: "T"), let offset = self[mark...].firstIndex(where: { "Zz+-".contains($0) }),
            self[mark..<offset].utf8.count == "T14:00".utf8.count
        else { return nil }
        return "\(self[..<offset]):00\(self[offset...])"
    }
}

extension Date {
    fileprivate var inMilliseconds: Date { Date(timeIntervalSince1970: (timeIntervalSince1970 * 1000).rounded() / 1000) }
}
