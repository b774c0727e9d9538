/// The words for a store whose file was deleted or replaced while the daemon has it open.
enum StoreGone {
    /// - Parameter path: of the file that is gone.
    static func sentence(_ path: String) -> String {
        "The store \(path) was deleted or replaced while the daemon runs. Homing accepts and sends nothing."
    }

    static let next = """
        Do not stop or restart the daemon: only it has the captures, and perhaps the key. Run now, and keep both files:
        sudo homingd key export KEYFILE --unencrypted
        sudo homing backup FILE
        Then stop the daemon. If the state directory is gone, run: sudo systemd-tmpfiles --create homing.conf
        If homing.key was deleted too, run: sudo homingd key import KEYFILE
        Finally run: sudo homingd restore FILE
        """
}
