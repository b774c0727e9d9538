import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTPCompression
import NIOPosix
import NIOSSL
import SyncModel

extension TransportError {
    /// Tells what failed before the request could reach the server from what failed after.
    ///
    /// - Parameter wasSent: the request's head has gone out. Without that, whatever the error is, nothing has taken effect.
    init(_ error: any Error, wasSent: Bool, host: String, now: Date) {
        let named = Self(error, host: host, now: now)
        switch (named, wasSent) {
        case (.lost, false) where error is CancellationError || error as? HTTPClientError == .cancelled:
            self = .unreachable(Failure(.stopping, "The request was not sent: it was called off."))
        case (.lost, false):
            self = .offline(
                host, error as? HTTPClientError == .deadlineExceeded ? "connecting took too long" : "the connection broke while it was made"
            )
        // A route may vanish under a request that is on its way.
        case (.unreachable, true): self = .lost(host, "broke the connection before it had answered")
        default: self = named
        }
    }

    private init(_ error: any Error, host: String, now: Date) {
        switch error {
        case let error as NIOConnectionError:
            let name = error.dnsAError != nil && error.connectionErrors.isEmpty
            let refused = error.connectionErrors.compactMap { $0.error as? IOError }.first
            self = .offline(host, name ? "its name is not known here" : refused.map(Self.words) ?? "no connection")
        case let error as IOError where Self.connecting.contains(error.errnoCode):
            self = .offline(host, Self.words(error))
        case let error as HTTPClientError where Self.slowConnect.contains(error):
            self = .offline(host, "connecting took too long")
        case is NIOSSLExtraError:
            self = .unreachable(Failure(.tls, "\(host) showed a certificate for another name. Is a proxy in the way?"))
        case NIOSSLError.handshakeFailed(let reason):
            self = .handshake(host, "\(reason)", now: now)
        case let error as HTTPClientError where error == .alreadyShutdown:
            self = .unreachable(Failure(.stopping, "The request was not sent: the daemon is stopping."))
        case let error as HTTPClientError where Self.malformed.contains(error):
            self = .unreachable(Failure(.profile, "The request to \(host) could not be formed (\(error.shortDescription))."))
        case is BudgetSpent:
            self = .lost(host, "took too long to answer")
        case let error as HTTPClientError where error == .deadlineExceeded || error == .readTimeout:
            self = .lost(host, "took too long to answer")
        case is CancellationError:
            self = .lost(host, "was left before it had answered")
        case let error as HTTPClientError where error == .cancelled:
            self = .lost(host, "was left before it had answered")
        case is NIOTooManyBytesError, NIOHTTPDecompression.DecompressionError.limit:
            self = .lost(Failure(.tooLarge, "The answer of the backend at \(host) is longer than may be read.", outcomeUnknown: true))
        default:
            self = .lost(host, "broke the connection before it had answered")
        }
    }

    private static func offline(_ host: String, _ why: String) -> Self {
        .unreachable(Failure(.offline, "The backend at \(host) does not answer (\(why))."))
    }

    private static func lost(_ host: String, _ what: String) -> Self {
        .lost(Failure(.lostAnswer, "The backend at \(host) \(what).", outcomeUnknown: true))
    }

    private static func handshake(_ host: String, _ reason: String, now: Date) -> Self {
        guard reason.contains("CERTIFICATE_VERIFY_FAILED") else {
            return .unreachable(Failure(.tls, "No secure connection to \(host) could be made (TLS handshake failed)."))
        }
        // TLS does not tell an expired certificate from an unknown one; a clock that cannot be right explains both.
        guard plausibleTime.contains(now) else {
            return .unreachable(
                Failure(.clock, "The certificate of \(host) was refused, and this machine's clock is wrong. Set the clock."))
        }
        return .unreachable(
            Failure(.tls, "The certificate of \(host) is not trusted: it is out of its dates, or its authority is not known here."))
    }

    /// A clock outside these years is wrong: this program is not older, and hardly in use for longer.
    private static let plausibleTime = Date(timeIntervalSince1970: 1_793_491_200)..<Date(timeIntervalSince1970: 2_424_643_200)

    /// What only an attempt to connect can report: no route, no port, no descriptor.
    private static let connecting: Set<Int32> = [
        ECONNREFUSED, ENETUNREACH, EHOSTUNREACH, ENETDOWN, EADDRNOTAVAIL, EAFNOSUPPORT, EMFILE, ENFILE, EACCES, EPERM,
    ]

    private static let slowConnect: [HTTPClientError] = [.connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout]

    private static let malformed: [HTTPClientError] = [.invalidURL, .emptyHost, .emptyScheme]

    private static func words(_ error: IOError) -> String { String(cString: strerror(error.errnoCode)).lowercased() }
}
