import Backends
import Outbox

/// The facts that `Examination` gathers and `Diagnosis` judges.
struct StationFacts: Sendable, Equatable {
    /// The name of the calling user.
    var user: String
    /// The group that makes the user an administrator; nil without one.
    var group: String?
    /// True if the files of the configuration have no mistakes.
    var isConfigurationGood = true
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
