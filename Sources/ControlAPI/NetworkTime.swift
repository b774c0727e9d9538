import Foundation

/// The program that synchronises the clock over the network.
package enum NetworkTime {
    /// True if one is installed that `timedatectl set-ntp` can start (systemd-timedated.service(8)).
    package static var isInstalled: Bool { isInstalled(in: ["/usr/lib", "/usr/local/lib", "/etc", "/run"]) }

    /// - Parameter roots: folders with a folder `systemd`.
    static func isInstalled(in roots: [String]) -> Bool {
        roots.contains { root in
            // `try?`: without the folder, no such program is installed.
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(root)/systemd/ntp-units.d")) ?? []
            return names.contains { $0.hasSuffix(".list") }
        }
    }

    /// The step that synchronises the clock.
    package static func remedy(isInstalled: Bool) -> String {
        isInstalled
            ? "Synchronise the clock: sudo timedatectl set-ntp true" : "Set the clock, or install chrony or systemd-timesyncd."
    }
}
