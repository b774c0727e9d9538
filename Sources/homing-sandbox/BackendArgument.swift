import ArgumentParser
import Sandbox

enum BackendArgument: String, ExpressibleByArgument, CaseIterable {
    case breathesafe, labloop, aiphoto, lists
    case lists2026 = "lists-2026"
    case story16

    /// Options of `run` that only some backends have.
    enum Setting: String, CaseIterable {
        case sessionSeconds = "--session-seconds"
        case managedUser = "--managed-user"
        case accessSeconds = "--access-seconds"
        case refreshSeconds = "--refresh-seconds"
        case graceSeconds = "--grace-seconds"

        /// The options for `--profile`.
        static let described: Set<Setting> = [.accessSeconds, .refreshSeconds]
    }

    var settings: Set<Setting> {
        switch self {
        case .breathesafe: [.sessionSeconds, .managedUser]
        case .labloop: [.accessSeconds, .refreshSeconds]
        case .lists2026: [.accessSeconds, .refreshSeconds, .graceSeconds]
        case .aiphoto, .lists, .story16: [.accessSeconds]
        }
    }
}
