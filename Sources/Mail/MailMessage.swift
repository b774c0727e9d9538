import Foundation

/// A mail with plain text. It is the same for every try.
package struct MailMessage: Equatable, Sendable {
    /// The value of `Message-ID`, by which a receiver notices a repetition.
    package let id: MailAddress
    package let from: MailAddress
    package let to: [MailAddress]
    package let date: Date
    package let subject: String
    package let text: String

    package init(id: MailAddress, from: MailAddress, to: [MailAddress], date: Date, subject: String, text: String) {
        (self.id, self.from, self.to) = (id, from, to)
        (self.date, self.subject, self.text) = (date, subject, text)
    }

    /// Header and body (RFC 5322), without the ends of lines: printable ASCII, of at most 998 characters each.
    package var lines: [String] {
        var lines = ["Date: \(date.inMail)", "From: Homing <\(from)>"]
        lines += Self.folded("To:", to.map(\.description), between: ",")
        lines += Self.folded("Subject:", subject.encodedWords, between: "")
        lines += [
            "Message-ID: <\(id)>", "Auto-Submitted: auto-generated", "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: quoted-printable", "",
        ]
        return lines + text.quotedPrintable
    }

    /// One part per line.
    private static func folded(_ name: String, _ parts: [String], between separator: String) -> [String] {
        parts.enumerated().map { index, part in
            "\(index == 0 ? name : "") \(part)\(index < parts.count - 1 ? separator : "")"
        }
    }
}

extension Date {
    /// The date in the form of RFC 5322 3.3, in UTC, e.g. `Fri, 27 Nov 2026 09:05:00 +0000`.
    fileprivate var inMail: String {
        var seconds = time_t(timeIntervalSince1970.rounded(.down))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        let date = "\(parts.tm_mday) \(months[Int(parts.tm_mon)]) \(Int(parts.tm_year) + 1900)"
        return "\(days[Int(parts.tm_wday)]), \(date) \(time) +0000"
    }
}
