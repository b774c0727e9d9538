import ControlAPI
import Foundation

/// The facts of `homing doctor` before it judges.
struct DoctorFacts {
    /// The version of this program.
    var version = HomingVersion.current
    /// The daemon's answer, or why there is none.
    var status: Result<Status, Problem>
    /// The daemon's examination, or why there is none; nil without a daemon.
    var examination: Result<DoctorReport, Problem>?
    /// The units by name, as `systemctl is-enabled` reports them; empty if systemd does not start this daemon.
    var units: [String: String] = [:]
    /// Nil if unknown.
    var isClockSynchronised: Bool?
    /// True if a program that synchronises the clock is installed.
    var hasTimeService = true
    /// The result of `homingd check`; nil if it did not run.
    var configuration: SystemProgram.Outcome?
    /// The command that checks the configuration; nil if it ran, or if the daemon answers.
    var command: String?
}
