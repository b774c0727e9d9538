import Foundation

/// How a request ends, or a write: what the network does to it, what the backend does with it, and what comes back, byte by byte.
package enum Fate: String, Codable, Sendable, CaseIterable {
    case fine
    // The network.
    case offline, lostBefore, lostAfter, lostLate
    // A server error, before or after the work was done.
    case errorBefore, errorAfter, gatewayBefore, gatewayAfter, timeout, openBefore, openAfter
    // Quiet.
    case throttledBriefly, throttledLong, busyBefore, busyAfter, locked, lockedLong
    // The session.
    case sessionEnds, stillUnauthorized, renewalUnavailable, tooSoon, resting
    // Final by declaration.
    case deniedDeclared, refusedDeclared
    // Refused by nobody knows whom.
    case refusedJSON, notFoundJSON, forbiddenJSON, notFoundPage
    // In the way.
    case redirect, pageBefore, refusalPage, sessionPage
    // A success that is none, though the work was done.
    case pageAfter, textAfter, emptyAfter, noIDAfter, falseIDAfter, cutJSONAfter

    /// Whether the backend does the work.
    var isEffective: Bool {
        switch self {
        case .fine, .lostAfter, .errorAfter, .gatewayAfter, .openAfter, .busyAfter, .pageAfter, .textAfter, .emptyAfter, .noIDAfter,
            .falseIDAfter, .cutJSONAfter:
            true
        default: false
        }
    }

    /// Whether, by the contract, the sender cannot know whether the work was done: no answer, a server error, or a success that is not as
    /// promised (RFC 9110 15.6; a 2xx proves nothing without the promised content).
    var leavesItOpen: Bool {
        switch self {
        case .lostBefore, .lostAfter, .lostLate, .errorBefore, .errorAfter, .gatewayBefore, .gatewayAfter, .openBefore, .openAfter,
            .busyBefore, .busyAfter, .pageBefore, .pageAfter, .textAfter, .emptyAfter, .noIDAfter, .falseIDAfter, .cutJSONAfter:
            true
        default: false
        }
    }

    /// Whether the server asks for quiet, which it may mean for all its clients or for this entry alone.
    var asksForQuiet: Bool {
        switch self {
        case .throttledBriefly, .throttledLong, .busyBefore, .busyAfter: true
        default: false
        }
    }

    /// Whether a failure like this may count against an entry once another one gets through.
    var mayCount: Bool {
        switch self {
        case .fine, .offline, .lostBefore, .lostAfter, .lostLate, .throttledBriefly, .throttledLong, .busyBefore, .busyAfter, .locked,
            .lockedLong, .sessionEnds, .renewalUnavailable, .tooSoon, .resting, .deniedDeclared, .refusedDeclared:
            false
        default: true
        }
    }

    /// What a whole backend, or what stands before it, may do for hours, and is no entry's fault.
    static let outages: [Fate] = [
        .errorBefore, .gatewayBefore, .timeout, .stillUnauthorized, .refusedJSON, .notFoundJSON, .forbiddenJSON, .notFoundPage, .redirect,
        .pageBefore, .refusalPage, .sessionPage, .lostBefore,
    ]

    /// What one entry may meet for ever, while all others get through.
    static let curses: [Fate] = allCases.filter { fate in
        switch fate {
        case .fine, .offline, .lostLate, .sessionEnds, .renewalUnavailable, .tooSoon, .resting, .throttledLong, .locked, .lockedLong:
            false
        default: true
        }
    }
}
