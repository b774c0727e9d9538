import Foundation

/// Limits calls per period and key; a period starts with its first call.
struct RateLimit: Sendable {
    /// Nil allows any number of calls.
    var most: Int?
    let period: TimeInterval
    private var windows: [String: (start: Date, count: Int)] = [:]

    init(_ most: Int?, per period: TimeInterval) {
        self.most = most
        self.period = period
    }

    mutating func admits(_ key: String, at now: Date) -> Bool {
        guard let most else { return true }
        var window = windows[key] ?? (now, 0)
        if now.timeIntervalSince(window.start) >= period { window = (now, 0) }
        window.count += 1
        windows[key] = window
        return window.count <= most
    }
}
