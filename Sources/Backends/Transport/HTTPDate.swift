import Foundation

/// The date format of HTTP headers (RFC 9110 5.6.7), e.g. `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    /// Reads the one format that servers may send today; nil for anything else.
    static func parse(_ text: String) -> Date? {
        let words = text.split(whereSeparator: { $0 == " " || $0 == ":" })
        guard words.count == 8, words[0].hasSuffix(","), words[7] == "GMT", let month = months.firstIndex(of: String(words[2])),
            let day = Int(words[1]), let year = Int(words[3]), let hour = Int(words[4]), let minute = Int(words[5]),
            let second = Int(words[6]),
            (1...31).contains(day), (1970...9999).contains(year), (0..<24).contains(hour), (0..<60).contains(minute),
            (0...60).contains(second)
        else { return nil }
        var time = tm()
        (time.tm_year, time.tm_mon, time.tm_mday) = (Int32(year - 1900), Int32(month), Int32(day))
        (time.tm_hour, time.tm_min, time.tm_sec) = (Int32(hour), Int32(minute), Int32(second))
        return Date(timeIntervalSince1970: TimeInterval(timegm(&time)))
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}
