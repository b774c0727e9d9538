import Files
import Foundation
import Glibc

/// The user of homingd.service.
package enum ServiceIdentity {
    static let user = "homing"

    package static var exists: Bool { getpwnam(user) != nil }

    /// True if the file or folder belongs to that user.
    package static func owns(_ path: String) -> Bool {
        guard let owner = DurableFile(path: path).owner, let service = getpwnam(user) else { return false }
        return service.pointee.pw_uid == owner
    }

    /// Permanently switches to the service's user and groups. Returns the environment with the service's paths. Throws unless the process
    /// is root or that user.
    package static func assume(in environment: [String: String]) throws(CannotAssume) -> [String: String] {
        guard let entry = getpwnam(user) else {
            throw CannotAssume(description: "This system has no user \(user). Run: systemd-sysusers homing.conf")
        }
        let (uid, gid) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
        if geteuid() != uid {
            guard geteuid() == 0, initgroups(user, gid) == 0, setgid(gid) == 0, setuid(uid) == 0 else {
                throw CannotAssume(description: "Only root can act as the service’s user. Repeat the command with sudo.")
            }
        }
        var places = environment
        for (variable, place) in [
            ("CONFIGURATION_DIRECTORY", "/etc/homing"), ("STATE_DIRECTORY", "/var/lib/homing"), ("RUNTIME_DIRECTORY", "/run/homing"),
        ] { places[variable] = environment[variable] ?? place }
        return places
    }

    package struct CannotAssume: Error, CustomStringConvertible {
        package let description: String
    }
}
