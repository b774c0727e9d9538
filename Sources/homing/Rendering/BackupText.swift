import ControlAPI

enum BackupText {
    /// - Parameter isOfService: the backup is of the system's daemon, whose state directory is known.
    static func done(_ path: String, _ bytes: Int, isOfService: Bool) -> String {
        let copy =
            isOfService
            ? "sudo install -m 0600 /var/lib/homing/homing.key /media/safe/homing.key\nIf you have moved the key, copy it from there, such as from /etc/credstore."
            : "The key is the file homing.key in the state directory, which ‘homingd check’ names."
        return """
            The station was backed up to ‘\(path.printable)’ (\(Words.size(bytes))).
            The key is not in the file, and without it the backup cannot be restored. If you have no copy of the key, make one and keep it in another place:
            \(copy)
            """
    }
}
