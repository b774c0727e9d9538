import ArgumentParser
import Sandbox

/// A backend on the command line, with the options that concern it.
enum BackendArgument: String, ExpressibleByArgument, CaseIterable {
    case breathesafe, labloop, aiphoto, lists
    case lists2026 = "lists-2026"
    case story16

    /// The options of `run` that not every backend has.
    enum Setting: String, CaseIterable {
        case sessionSeconds = "--session-seconds"
        case managedUser = "--managed-user"
        case accessSeconds = "--access-seconds"
        case refreshSeconds = "--refresh-seconds"
        case graceSeconds = "--grace-seconds"

        /// The options for a backend that only its profile describes.
        static let described: Set<Setting> = [.accessSeconds, .refreshSeconds]
    }

    /// The options that this backend understands.
    var settings: Set<Setting> {
        switch self {
        case .breathesafe: [.sessionSeconds, .managedUser]
        case .labloop: [.accessSeconds, .refreshSeconds]
        case .lists2026: [.accessSeconds, .refreshSeconds, .graceSeconds]
        case .aiphoto, .lists, .story16: [.accessSeconds]
        }
    }
}
