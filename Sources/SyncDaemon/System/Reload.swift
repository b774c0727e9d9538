import Backends
import Capture

/// The result of rereading the configuration.
enum Reload: Sendable {
    case unchanged
    /// The active configuration stays.
    case mistaken(Mistakes)
    case changed(Configuration, [Backend], [ConfigurationChange])

    /// Reads the configuration. `restart` receives changed keys that need a process restart; they keep their values.
    init(
        file: String?, environment: [String: String], inForce: (configuration: Configuration, backends: [Backend]), deviceID: String,
        restart: inout [ConfigurationChange]
    ) {
        do throws(Mistakes) {
            var (configuration, backends) = try ConfigurationCheck.read(file: file, environment: environment, deviceID: deviceID)
            let read = configuration
            configuration.keepPlaces(of: inForce.configuration)
            restart = ConfigurationChange.keys(from: configuration, to: read)
            let changes = ConfigurationChange.all(from: inForce, to: (configuration, backends))
            self = changes.isEmpty ? .unchanged : .changed(configuration, backends, changes)
        } catch {
            self = .mistaken(error)
        }
    }
}

extension Configuration {
    /// The state lock and the socket last for the life of the process.
    fileprivate mutating func keepPlaces(of earlier: Configuration) {
        // A default drop folder follows the state directory.
        if spool.directory == stateDirectory + "/spool" { spool.directory = earlier.stateDirectory + "/spool" }
        stateDirectory = earlier.stateDirectory
        socket = earlier.socket
    }
}
