/// The words for a key file that was deleted while the daemon runs.
enum KeyGone {
    /// - Parameter path: of the file that is gone.
    static func sentence(_ path: String) -> String {
        "The key file \(path) was deleted while the daemon runs. Only the daemon still has the key."
    }

    /// - Parameter path: of the file that is gone, in the state directory `state`.
    static func next(_ path: String, in state: String) -> String {
        """
        Do not stop or restart the daemon: without the key, its captures cannot be opened any more. To put the key back, run:
        \(commands(path, in: state))
        """
    }

    /// The commands that put the key of the running daemon back, each on a line, and what to do with their copy of it.
    static func commands(_ path: String, in state: String) -> String {
        let owner = ServiceIdentity.owns(state) ? "-o \(ServiceIdentity.user) -g \(ServiceIdentity.user) " : ""
        return """
            sudo homingd key export KEYFILE --unencrypted
            sudo install \(owner)-m 0600 KEYFILE \(path)
            Then move KEYFILE, which is not encrypted, to a safe place, or run: sudo rm KEYFILE
            """
    }
}
