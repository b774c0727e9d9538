import ControlAPI

extension RosterReport {
    /// The command that shows the list: `homing people`.
    var command: String {
        "homing \(title.many.allSatisfy(\.isLetter) ? title.many : "roster \(resource.asArgument)")"
    }
}
