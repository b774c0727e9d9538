import Foundation
import SyncModel

package enum Words {
    /// `1 entry`, `3 entries`, `no entries`.
    package static func count(_ number: Int, _ one: String, _ many: String) -> String {
        number == 0 ? "no \(many)" : "\(number) \(number == 1 ? one : many)"
    }

    /// `5,000`.
    package static func number(_ number: Int) -> String {
        var text = ""
        for (index, digit) in String(number).reversed().enumerated() { text = "\(digit)" + (index > 0 && index % 3 == 0 ? "," : "") + text }
        return text
    }

    package static func state(_ state: String) -> String {
        switch Entry.State(rawValue: state) {
        case .pending: "waiting"
        case .inflight: "being sent"
        case .held: "on hold"
        case .dead: "failed"
        case .delivered, .discarded, nil: state
        }
    }

    /// The reason for a hold, for use after a colon.
    package static func holdReason(_ reason: String) -> String {
        switch HoldReason(rawValue: reason) {
        case .forbidden: "not permitted"
        case .unknownOutcome: "may already have taken effect"
        case .dependency: "an entry that it depends on was not delivered"
        case .crashes: "the daemon crashed while sending it"
        case .unreadable: "cannot be read back"
        case .profile: "no longer fits the profile"
        case .operator: "requested by a person"
        case .discarding: "discarded, and can still be restored"
        case nil: reason
        }
    }

    /// The result of an attempt, from `Verdict.Name`.
    package static func verdict(_ verdict: String) -> String {
        switch Verdict.Name(rawValue: verdict) {
        case .accepted: "delivered"
        case .transient: "failed"
        case .throttled: "told to wait"
        case .locked: "locked for now"
        case .permanent: "refused"
        case .forbidden: "not permitted"
        case .unauthorized: "not signed in"
        case .unreachable: "unreachable"
        case .intercepted: "login page"
        case .unknown: "outcome unknown"
        case .unseen: "not found yet"
        case .unread: "list not read"
        case nil: verdict
        }
    }

    package static func entries(_ number: Int) -> String { count(number, "entry", "entries") }

    /// `3 entries for Anna Example (28) and Ben Sample (6)`; at most three people.
    package static func entries(_ entries: [EntrySummary]) -> String {
        let subjects = Set(entries.map { entry in entry.subject.flatMap { $0.label == nil ? nil : $0.text.printable } })
        guard subjects.count <= 3, !subjects.contains(nil), !subjects.isEmpty else { return Self.entries(entries.count) }
        return "\(Self.entries(entries.count)) for \(subjects.compactMap(\.self).sorted().inWords)"
    }

    /// `1 entry is waiting`, `3 entries are waiting`.
    package static func entriesWait(_ number: Int) -> String { "\(entries(number)) \(number == 1 ? "is" : "are") waiting" }

    /// `, and 1 other entry is waiting`; empty for none.
    package static func othersWait(_ number: Int) -> String {
        number > 0 ? ", and \(count(number, "other entry is", "other entries are")) waiting" : ""
    }

    /// `812 bytes`, `17.4 kB`, `1.2 MB` or `2.0 GB`; a kB is 1000 bytes.
    package static func size(_ bytes: Int) -> String {
        switch bytes {
        case ..<1000: count(bytes, "byte", "bytes")
        case ..<999_950: tenths(bytes, of: 1000) + " kB"
        case ..<999_950_000: tenths(bytes, of: 1_000_000) + " MB"
        default: tenths(bytes, of: 1_000_000_000) + " GB"
        }
    }

    private static func tenths(_ bytes: Int, of unit: Int) -> String {
        let tenths = (bytes * 10 + unit / 2) / unit
        return "\(tenths / 10).\(tenths % 10)"
    }
}

extension String {
    package var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }

    /// The text on one line, without control characters and direction overrides, which could mislead or control the terminal.
    package var printable: String {
        if utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) { return self }
        let clean = unicodeScalars.map { scalar -> Character in
            guard scalar.isSteering else { return Character(scalar) }
            return scalar.properties.generalCategory == .format ? "\u{FFFD}" : " "
        }
        return String(clean)
    }

    package var withoutTrailingSpaces: String { lastIndex { $0 != " " }.map { String(self[...$0]) } ?? "" }
}
