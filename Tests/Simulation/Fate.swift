import Foundation

/// How a request or a write ends: in the network, at the backend, and in the response.
package enum Fate: String, Codable, Sendable, CaseIterable {
    case fine
    // The network.
    case offline, lostBefore, lostAfter, lostLate
    // A server error, before or after the request takes effect.
    case errorBefore, errorAfter, gatewayBefore, gatewayAfter, timeout, openBefore, openAfter
    // Throttling.
    case throttledBriefly, throttledLong, busyBefore, busyAfter, locked, lockedLong
    // The session.
    case sessionEnds, stillUnauthorized, renewalUnavailable, tooSoon, resting
    // Final by declaration.
    case deniedDeclared, refusedDeclared
    // A refusal of unknown origin.
    case refusedJSON, notFoundJSON, forbiddenJSON, notFoundPage
    // A captive portal or another intermediary.
    case redirect, pageBefore, refusalPage, sessionPage
    // An invalid success after the request took effect.
    case pageAfter, textAfter, emptyAfter, noIDAfter, falseIDAfter, cutJSONAfter

    var isEffective: Bool {
        switch self {
        case .fine, .lostAfter, .errorAfter, .gatewayAfter, .openAfter, .busyAfter, .pageAfter, .textAfter, .emptyAfter, .noIDAfter,
            .falseIDAfter, .cutJSONAfter:
            true
        default: false
        }
    }

    /// True if the sender cannot know the outcome: no response, a server error, or a 2xx without the promised content (RFC 9110 15.6).
    var leavesItOpen: Bool {
        switch self {
        case .lostBefore, .lostAfter, .lostLate, .errorBefore, .errorAfter, .gatewayBefore, .gatewayAfter, .openBefore, .openAfter,
            .busyBefore, .busyAfter, .pageBefore, .pageAfter, .textAfter, .emptyAfter, .noIDAfter, .falseIDAfter, .cutJSONAfter:
            true
        default: false
        }
    }

    /// True if the server throttles all clients or this entry.
    var asksForPause: Bool {
        switch self {
        case .throttledBriefly, .throttledLong, .busyBefore, .busyAfter: true
        default: false
        }
    }

    /// True if it may count against an entry once others get through.
    var mayCount: Bool {
        switch self {
        case .fine, .offline, .lostBefore, .lostAfter, .lostLate, .throttledBriefly, .throttledLong, .busyBefore, .busyAfter, .locked,
            .lockedLong, .sessionEnds, .renewalUnavailable, .tooSoon, .resting, .deniedDeclared, .refusedDeclared:
            false
        default: true
        }
    }

    /// Failures of a whole backend or an intermediary that last for hours and never count.
    static let outages: [Fate] = [
        .errorBefore, .gatewayBefore, .timeout, .stillUnauthorized, .refusedJSON, .notFoundJSON, .forbiddenJSON, .notFoundPage, .redirect,
        .pageBefore, .refusalPage, .sessionPage, .lostBefore,
    ]

    /// Failures that one entry may meet every time.
    static let curses: [Fate] = allCases.filter { fate in
        switch fate {
        case .fine, .offline, .lostLate, .sessionEnds, .renewalUnavailable, .tooSoon, .resting, .throttledLong, .locked, .lockedLong:
            false
        default: true
        }
    }
}
