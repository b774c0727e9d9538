import Foundation
import SyncModel
import Synchronization

extension SessionKeeper {
    /// The session of whoever is signed in, renewed first where its token is about to end, or is known to be refused.
    ///
    /// A renewal that cannot be had costs nothing while the token still holds, and is not asked for by each caller anew.
    package func freshSession() async throws(AuthenticationError) -> Session {
        let current = try session()
        if isRefused {
            if !waysBack.isEmpty { return try await renewal(of: current) }
            // With nothing to renew it by, it is tried again as it is: who refused it is not known.
            refusedGeneration = nil
            return current
        }
        guard isStale else { return current }
        if stillHolds, resting != nil { return current }
        do throws(AuthenticationError) {
            return try await renewal(of: current)
        } catch {
            switch error {
            case .unavailable, .tooSoon: guard stillHolds, !isRefused else { throw error }
            default: throw error
            }
            return try session()
        }
    }

    /// A person or the network wants it tried now: a rest that nobody asked for is over.
    package nonisolated func hurry() { rest.withLock { $0.hurry() } }

    /// When a session that nobody uses is to be renewed, lest the server forget it; nil where none has to be.
    package var nextKeepalive: Date? {
        guard record.state == .signedIn, let keepalive = backend.profile.auth.keepalive else { return nil }
        guard let received = refreshable?.receivedAt else { return nil }
        // A receipt that lies ahead was noted by a clock that was: nobody knows how long ago that is.
        return received > clock.now ? clock.now : received.addingTimeInterval(keepalive)
    }

    /// Renews the session if that is due. What cannot be had now is asked for again later; returned is why, where a server has answered so.
    package func keepAlive() async -> Failure? {
        guard let due = nextKeepalive, due <= clock.now, let current = try? session() else { return nil }
        do throws(AuthenticationError) {
            _ = try await renewal(of: current)
            return nil
        } catch {
            // Of a session that has ended everybody is told.
            switch error {
            case .unavailable(let failure): return failure.neverArrived || failure.reason == .stopping ? nil : failure
            case .tooSoon(_, let failure): return failure
            default: return nil
            }
        }
    }

    /// Whether the token is to be renewed before it is used.
    var isStale: Bool { refreshable?.isStale(at: clock.now, skew: backend.profile.auth.skew) ?? false }

    /// Whether the server has called these credentials unauthorised.
    var isRefused: Bool { refusedGeneration == record.generation }

    /// Whether the token has not ended by our clock.
    private var stillHolds: Bool { record.credentials.tokens.map { !$0.hasEnded(at: clock.now) } ?? false }

    /// The tokens, where they can be renewed.
    var refreshable: Tokens? {
        guard backend.profile.auth.renewals.contains(.refresh), let tokens = record.credentials.tokens, tokens.refresh != nil else {
            return nil
        }
        return tokens
    }
}
