import Foundation

/// A pause that a server asked for with Retry-After. A `Pause` is set by a person.
package struct ServerPause: Hashable, Sendable {
    package var backend: String
    /// The server that made the request, which does not apply to another one under the same name.
    package var address: String
    package var since: Date
    package var until: Date
    package var failure: Failure

    /// The longest wait that a server may ask for, in seconds.
    package static let longest: TimeInterval = 6 * 3600
    /// The longest wait in seconds, with a margin: a later due time was set while the clock was ahead.
    package static let horizon: TimeInterval = longest + 60

    package init(backend: String, address: String, since: Date, until: Date, failure: Failure) {
        self.backend = backend
        self.address = address
        self.since = since
        self.until = until
        self.failure = failure
    }
}
