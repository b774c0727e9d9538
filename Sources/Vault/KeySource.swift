import Files

/// Where the key of a state directory comes from.
package enum KeySource: Hashable, Sendable {
    /// A systemd credential, `$CREDENTIALS_DIRECTORY/homing.key`; never written by Homing.
    case credential(path: String)
    /// `homing.key` in the state directory, created at the first start.
    case stateDirectory(path: String)

    package var path: String {
        switch self {
        case .credential(let path), .stateDirectory(let path): path
        }
    }

    package init(environment: [String: String], stateDirectory: String) {
        if let directory = environment["CREDENTIALS_DIRECTORY"], DurableFile(path: "\(directory)/homing.key").exists {
            self = .credential(path: "\(directory)/homing.key")
        } else {
            self = .stateDirectory(path: "\(stateDirectory)/homing.key")
        }
    }
}
