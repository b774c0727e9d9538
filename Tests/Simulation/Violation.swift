/// A guarantee that did not hold.
package struct Violation: Error, Codable, Sendable, Equatable, CustomStringConvertible {
    /// As DESIGN.md numbers them, or `model` where the outbox did something else than the model.
    package let invariant: String
    package let message: String

    init(_ invariant: String, _ message: String) {
        self.invariant = invariant
        self.message = message
    }

    package var description: String { "\(invariant): \(message)" }
}
