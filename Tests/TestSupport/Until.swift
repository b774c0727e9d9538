/// Waits until the condition holds, for a change that no event reports; throws if cancelled.
///
/// - Parameter pause: the time between two looks.
package func until(every pause: Duration = .milliseconds(2), _ condition: () async throws -> Bool) async throws {
    while try await !condition() { try await Task.sleep(for: pause) }
}

/// Looks every few milliseconds until there is a value; throws if cancelled.
package func firstValue<Value>(_ look: () async throws -> Value?) async throws -> Value {
    while true {
        if let value = try await look() { return value }
        try await Task.sleep(for: .milliseconds(2))
    }
}

/// Repeats `attempt` with longer limits until its outcome is expected, since a slow machine may exceed a short limit first. Returns the last
/// outcome.
package func withGrowingLimit<Outcome>(
    from first: Duration, _ attempt: (Duration) async throws -> Outcome, until isExpected: (Outcome) -> Bool
) async throws -> Outcome {
    var limit = first
    while true {
        let outcome = try await attempt(limit)
        if isExpected(outcome) || limit > .seconds(60) { return outcome }
        limit *= 4
    }
}
