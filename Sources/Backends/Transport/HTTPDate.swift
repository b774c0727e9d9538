import Foundation

/// RFC 9110 5.6.7, e.g. `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
    /// The preferred format only.
    package static func parse(_ text: String) -> Date? {
        let words = text.split(whereSeparator: { $0 == " " || $0 == ":" })
        guard words.count == 8, words[0].hasSuffix(","), words[7] == "GMT", let month = months.firstIndex(of: String(words[2])),
            let day = Int(words[1]), let year = Int(words[3]), let hour = Int(words[4]), let minute = Int(words[5]),
            let second = Int(words[6]),
            (1...31).contains(day), (1970...9999).contains(year), (0..<24).contains(hour), (0..<60).contains(minute),
            (0...60).contains(second)
        else { return nil }
        return date(year, month, day, [hour, minute, second])
    }

    /// A cookie date (RFC 6265 5.1.1), e.g. `Sunday, 06-Nov-94 08:49:37 GMT`.
    package static func parseLoosely(_ text: String) -> Date? {
        var time: [Int]?
        var day: Int?
        var month: Int?
        var year: Int?
        let words = text.split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == ":")) }
        for word in words {
            let numbers = word.split(separator: ":", omittingEmptySubsequences: false)
            if time == nil, numbers.count == 3, case let parts = numbers.compactMap({ $0.count <= 2 ? Int($0) : nil }), parts.count == 3 {
                time = parts
            } else if day == nil, word.count <= 2, let number = Int(word) {
                day = number
            } else if month == nil, let index = months.firstIndex(where: { word.lowercased().hasPrefix($0.lowercased()) }) {
                month = index
            } else if year == nil, word.count == 2 || word.count == 4, let number = Int(word) {
                year = number < 70 ? number + 2000 : number < 100 ? number + 1900 : number
            }
        }
        guard let time, let day, let month, let year, (1...31).contains(day), (1601...9999).contains(year), time[0] < 24, time[1] < 60,
            time[2] < 60
        else { return nil }
        return date(year, month, day, time)
    }

    private static func date(_ year: Int, _ month: Int, _ day: Int, _ clock: [Int]) -> Date {
        var time = tm()
        (time.tm_year, time.tm_mon, time.tm_mday) = (Int32(year - 1900), Int32(month), Int32(day))
        (time.tm_hour, time.tm_min, time.tm_sec) = (Int32(clock[0]), Int32(clock[1]), Int32(clock[2]))
        return Date(timeIntervalSince1970: TimeInterval(timegm(&time)))
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}
