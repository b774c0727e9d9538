/// The words for a store whose file was deleted or replaced while the daemon has it open.
enum StoreGone {
    /// - Parameter path: of the file that is gone.
    static func sentence(_ path: String) -> String {
        "The store \(path) was deleted or replaced while the daemon runs. Homing accepts and sends nothing."
    }

    static let next = """
        Do not stop or restart the daemon: the captures are still in it. Run now: sudo homing backup FILE
        Then stop the daemon. If homing.key was deleted too, put your copy of it back. Then run: sudo homingd restore FILE
        """
}
