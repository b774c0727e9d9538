import Foundation

/// The command that starts the installed service.
package enum ServiceStart {
    /// True if the service starts with the computer, so that `start` is enough.
    package static var isEnabled: Bool {
        // `try?`: without the link it is not enabled.
        let link = "/etc/systemd/system/multi-user.target.wants/homingd.service"
        return (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) != nil
    }

    package static func command(isEnabled: Bool = ServiceStart.isEnabled) -> String {
        isEnabled ? "sudo systemctl start homingd" : "sudo systemctl enable --now homingd"
    }
}
