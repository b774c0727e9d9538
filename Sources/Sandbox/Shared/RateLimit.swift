import Foundation

/// At most so many calls in each period, counted by key; the period begins with the first call.
struct RateLimit: Sendable {
    /// Nil admits every call.
    var most: Int?
    let period: TimeInterval
    private var windows: [String: (start: Date, count: Int)] = [:]

    init(_ most: Int?, per period: TimeInterval) {
        self.most = most
        self.period = period
    }

    /// Counts one call and tells whether it is within the limit.
    mutating func admits(_ key: String, at now: Date) -> Bool {
        guard let most else { return true }
        var window = windows[key] ?? (now, 0)
        if now.timeIntervalSince(window.start) >= period { window = (now, 0) }
        window.count += 1
        windows[key] = window
        return window.count <= most
    }
}
