import ControlAPI
import Synchronization

/// The memory that bodies may take, all together.
final class BodyBudget: Sendable {
    private let limit: Int
    private let taken = Mutex(0)

    /// - Parameter limit: bytes.
    init(_ limit: Int) { self.limit = limit }

    /// Runs `work` with room for `bytes`; where there is none the caller is asked to come again.
    func reserving<T>(_ bytes: Int, _ work: () async throws -> T) async throws -> T {
        let fits = taken.withLock { taken in
            guard taken + bytes <= limit else { return false }
            taken += bytes
            return true
        }
        guard fits else { throw Problem.busy("The daemon is taking in as much as it can at a time.") }
        defer { taken.withLock { $0 -= bytes } }
        return try await work()
    }
}
