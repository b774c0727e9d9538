extension Words {
    /// `0.4 s`, `12 s`, `3 min`, `2 h 5 min` or `4 d 3 h`.
    ///
    /// - Parameter ms: milliseconds.
    package static func length(_ ms: Int64) -> String {
        let seconds = ms / 1000
        func pair(_ unit: Int64, _ name: String, _ lesser: Int64, _ lesserName: String) -> String {
            let rest = seconds % unit / lesser
            return "\(seconds / unit) \(name)" + (rest > 0 ? " \(rest) \(lesserName)" : "")
        }
        return switch seconds {
        case ..<10: "\(seconds).\(max(0, ms) % 1000 / 100) s"
        case ..<60: "\(seconds) s"
        case ..<3600: "\(seconds / 60) min"
        case ..<86_400: pair(3600, "h", 60, "min")
        default: pair(86_400, "d", 3600, "h")
        }
    }

    /// Why entries were refused, for use after their number: `by the server`.
    package static func refusal(_ reason: String) -> String {
        switch reason {
        case "refused": "by the server"
        case "forbidden": "not permitted"
        case "serverError": "after server errors"
        case "lostAnswer": "after lost answers"
        case "misplaced": "stored with other values"
        case "profile": "not fitting the profile"
        case "throttled": "after requests to wait"
        case "intercepted": "by something between Homing and the server"
        default: "(\(reason))".printable
        }
    }
}
