import ArgumentParser
import ControlAPI

extension Suggestions {
    /// The routes of all backends.
    static let routes = CompletionKind.custom { words, _, _ in
        await within(words) { client async throws(Problem) in
            Set(try await client.call(Endpoints.backends, NoInput()).backends.flatMap(\.routes).map(\.name)).sorted()
        }
    }
}
