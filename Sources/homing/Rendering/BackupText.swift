import ControlAPI

enum BackupText {
    /// - Parameter isOfService: the backup is of the system's daemon, whose key `homingd key` finds.
    static func done(_ path: String, _ bytes: Int, isOfService: Bool) -> String {
        let export = isOfService ? "sudo homingd key export /media/safe/homing.key" : "homingd key export KEYFILE"
        let other = isOfService ? "" : "\nIf the daemon does not read the usual configuration, add: --config FILE"
        return """
            The station was backed up to ‘\(path.printable)’ (\(Words.size(bytes))).
            The key is not in the file, and without it the backup cannot be restored. If you have no copy of the current key, make one and keep it in another place:
            \(export).age --to RECIPIENT
            RECIPIENT is the age recipient of the person who keeps the copy. To write the key unencrypted, for a place that only you can open:
            \(export) --unencrypted\(other)
            """
    }
}
