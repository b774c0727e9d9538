import Outbox

/// A guarantee that did not hold.
package struct Violation: Error, Codable, Sendable, Equatable, CustomStringConvertible {
    /// As the page of guarantees numbers them, or `model` where the outbox did something else than the model.
    package let invariant: String
    package let message: String

    init(_ invariant: String, _ message: String) {
        self.invariant = invariant
        self.message = message
    }

    /// What was thrown while a world went on: an outbox that cannot go on would have ended the daemon. Anything else is thrown on.
    init(of error: any Error) throws {
        switch error {
        case let violation as Violation: self = violation
        case let error as OutboxError: self.init("fire", "\(error)")
        default: throw error
        }
    }

    package var description: String { "\(invariant): \(message)" }
}
