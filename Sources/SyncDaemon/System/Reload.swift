import Backends

/// A configuration that was read again, against the one in force.
enum Reload: Sendable {
    case unchanged
    /// The configuration in force stays so.
    case mistaken(Mistakes)
    case changed(Configuration, [Backend], [ConfigurationChange])

    /// Reads configuration and profiles. `restart` takes the keys that only another process can take over; they keep their values.
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
    /// What the process holds fast as long as it lives: the lock on its state, and the socket that it listens on.
    fileprivate mutating func keepPlaces(of earlier: Configuration) {
        // The drop folder moves along where only the state directory says where it is.
        if spool.directory == stateDirectory + "/spool" { spool.directory = earlier.stateDirectory + "/spool" }
        stateDirectory = earlier.stateDirectory
        socket = earlier.socket
    }
}
