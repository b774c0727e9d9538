import Vault

/// What signing out came to.
package struct SignOutOutcome: Hashable, Sendable {
    package let local: Local
    package let server: Server

    package init(local: Local, server: Server) {
        self.local = local
        self.server = server
    }

    package enum Local: String, Sendable {
        /// Nothing of the session is left here.
        case cleared
        /// The server could not be told, and the profile then wants the session kept.
        case kept
    }

    package enum Server: Hashable, Sendable {
        case ended
        /// The server had no such session any more.
        case alreadyGone
        case failed(String)
        /// There was nothing to tell the server.
        case none
    }
}

/// Why signing out did not begin, or could not be made durable.
package enum SignOutError: Error, Hashable, Sendable {
    /// The backend offers no way to end the sessions of all devices; nothing was changed.
    case allDevicesUnsupported
    case unsaved(VaultError)
    /// Whoever waited was called off; a sign-out that has begun goes on, and is finished at the next start at the latest.
    case leftWaiting
}
