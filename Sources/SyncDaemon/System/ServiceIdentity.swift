import Foundation
import Glibc

/// The user that homingd.service runs the daemon as.
package enum ServiceIdentity {
    static let user = "homing"

    /// Whether this system has that user.
    package static var exists: Bool { getpwnam(user) != nil }

    /// Becomes that user, with its groups and for good: from then on nothing can be read but what the service can read. Returns the environment
    /// with the places of the service. Throws where this process is neither root nor that user.
    package static func assume(in environment: [String: String]) throws(CannotAssume) -> [String: String] {
        guard let entry = getpwnam(user) else {
            throw CannotAssume(description: "This system has no user \(user). Run: systemd-sysusers homing.conf")
        }
        let (uid, gid) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
        if geteuid() != uid {
            guard geteuid() == 0, initgroups(user, gid) == 0, setgid(gid) == 0, setuid(uid) == 0 else {
                throw CannotAssume(description: "Only root can check as the service’s user. Run: sudo homingd check --as-service")
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
