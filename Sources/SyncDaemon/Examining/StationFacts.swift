import Backends
import Outbox

/// The facts that `Examination` gathers and `Diagnosis` judges.
struct StationFacts: Sendable, Equatable {
    /// The name of the calling user; empty until a caller is known.
    var user = ""
    /// The group that makes the user an administrator; nil without one.
    var group: String?
    /// True if the files of the configuration have no mistakes.
    var isConfigurationGood = true
    /// The path of the configuration if that file is missing.
    var missingConfiguration: String?
    /// True if homingd does not start without the file.
    var needsConfiguration = false
    /// True if a program that synchronises the clock is installed.
    var hasTimeService = true
    var proxies = ProxyRules()
    var trials: [BackendTrial] = []
    var space: Space
    /// Sentences about files that the daemon or the operators cannot use.
    var faults: [String] = []
    /// The command that repairs the drop folder; nil if it has no fault.
    var repair: String?
    /// Why the next start could not use the key.
    var keyFault: String?
}
