import Outbox

package struct Violation: Error, Codable, Sendable, Equatable, CustomStringConvertible {
    /// Its number in the documentation, or `model` if the outbox differs from the model.
    package let invariant: String
    package let message: String

    init(_ invariant: String, _ message: String) {
        self.invariant = invariant
        self.message = message
    }

    /// An outbox error would end the daemon, so it counts. Rethrows others.
    init(of error: any Error) throws {
        switch error {
        case let violation as Violation: self = violation
        case let error as OutboxError: self.init("fire", "\(error)")
        default: throw error
        }
    }

    package var description: String { "\(invariant): \(message)" }
}
