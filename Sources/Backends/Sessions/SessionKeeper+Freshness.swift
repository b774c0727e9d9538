import Foundation
import SyncModel

extension SessionKeeper {
    /// The session of whoever is signed in, renewed first where its token is about to end.
    ///
    /// A renewal that cannot be had costs nothing while the token still holds.
    package func freshSession() async throws(AuthenticationError) -> Session {
        let current = try session()
        guard isStale else { return current }
        do {
            return try await replace(current)
        } catch .unavailable(let failure) {
            guard let tokens = record.credentials.tokens, !tokens.hasEnded(at: clock.now) else { throw .unavailable(failure) }
            return try session()
        }
    }

    /// When a session that nobody uses is to be renewed, lest the server forget it; nil where none has to be.
    package var nextKeepalive: Date? {
        guard record.state == .signedIn, let keepalive = backend.profile.auth.keepalive else { return nil }
        return refreshable?.receivedAt.addingTimeInterval(keepalive)
    }

    /// Renews the session if that is due. What cannot be had now is asked for again later.
    package func keepAlive() async {
        guard let due = nextKeepalive, due <= clock.now, let current = try? session() else { return }
        // `try?`: unavailable, it is tried again; ended, everybody is told of it.
        _ = try? await replace(current)
    }

    /// Whether the token is to be renewed before it is used.
    var isStale: Bool { refreshable?.isStale(at: clock.now, skew: backend.profile.auth.skew) ?? false }

    /// The tokens, where they can be renewed.
    private var refreshable: Tokens? {
        guard backend.profile.auth.renewals.contains(.refresh), let tokens = record.credentials.tokens, tokens.refresh != nil else {
            return nil
        }
        return tokens
    }
}
