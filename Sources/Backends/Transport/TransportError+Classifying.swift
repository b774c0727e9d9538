import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTPCompression
import NIOPosix
import NIOSSL
import SyncModel

extension TransportError {
    struct Findings: Sendable {
        /// The dates of the refused certificate.
        var certificate: CertificateDates?
        var name: NameLookup?
    }

    /// - Parameters:
    ///   - wasSent: the request head was sent; without it, the request had no effect.
    ///   - proxy: on the way to the host; nil for a direct connection.
    init(_ error: any Error, wasSent: Bool, host: String, proxy: String? = nil, findings: Findings = Findings(), now: Date) {
        if let proxy, !wasSent, let fault = Self.fault(of: proxy, to: host, error, findings) {
            self = .unreachable(fault)
            return
        }
        let host = proxy.map { "\(host) through the proxy \($0)" } ?? host
        let named = Self(error, host: host, findings, now: now)
        switch (named, wasSent) {
        case (.lost, false) where error is CancellationError || error as? HTTPClientError == .cancelled:
            self = .unreachable(Failure(.stopping, "The request was not sent: it was cancelled."))
        case (.lost, false):
            self = .offline(
                host, error as? HTTPClientError == .deadlineExceeded ? "connecting took too long" : "the connection broke during setup"
            )
        // A route may disappear during a request.
        case (.unreachable, true): self = .lost(host, "dropped the connection before its answer was complete")
        default: self = named
        }
    }

    /// After the head of a success with this status.
    func answered(with status: Int) -> TransportError {
        guard case .lost(var failure) = self else { return self }
        failure.status = status
        failure.message += " Its answer had begun, with status \(status)."
        return .lost(failure)
    }

    /// True if the peer ended the connection, also during the TLS handshake. That may have hidden the cause.
    static func isBroken(_ error: any Error) -> Bool {
        switch error {
        case NIOSSLError.handshakeFailed(let reason): isClosedHandshake(reason)
        case let error as HTTPClientError: error == .remoteConnectionClosed
        case let error as ChannelError: error == .ioOnClosedChannel || error == .eof
        case let error as IOError: [EPIPE, ECONNRESET].contains(error.errnoCode)
        default: false
        }
    }

    /// TLS does not report why.
    static func isRefusedCertificate(_ error: any Error) -> Bool {
        guard case NIOSSLError.handshakeFailed(let reason) = error else { return false }
        return "\(reason)".contains("CERTIFICATE_VERIFY_FAILED")
    }

    /// True if the error of a TLS handshake names its cause, such as a refused certificate.
    static func namesCause(_ error: any Error) -> Bool {
        guard case NIOSSLError.handshakeFailed(let reason) = error else { return error is NIOSSLExtraError }
        return !isClosedHandshake(reason)
    }

    private static func isOldTLS(_ reason: BoringSSLError) -> Bool {
        ["UNSUPPORTED_PROTOCOL", "PROTOCOL_VERSION"].contains { "\(reason)".contains($0) }
    }

    /// A close before the end of the handshake is not a refusal: gateways close what they do not let through.
    private static func isClosedHandshake(_ reason: BoringSSLError) -> Bool {
        switch reason {
        case .sslError(let errors): errors.contains(.eofDuringHandshake)
        case .syscallError, .zeroReturn: true
        default: false
        }
    }

    private init(_ error: any Error, host: String, _ findings: Findings, now: Date) {
        if let obstacle = Self.obstacle(error, findings) {
            self = .offline(host, obstacle)
            return
        }
        switch error {
        case is NIOSSLExtraError:
            self = .unreachable(Failure(.tls, "\(host) presented a certificate for another name. Is a proxy in the way?"))
        case NIOSSLError.handshakeFailed where Self.isRefusedCertificate(error):
            self = .unreachable(Self.refused(findings.certificate, of: host, now: now))
        case NIOSSLError.handshakeFailed(let reason) where Self.isOldTLS(reason):
            self = .unreachable(
                Failure(.tls, "\(host) offers only an outdated version of TLS. Homing requires TLS 1.2 or later."))
        case NIOSSLError.handshakeFailed(let reason) where Self.isClosedHandshake(reason):
            self = .lost(host, "closed the connection during the TLS handshake")
        case NIOSSLError.handshakeFailed:
            self = .unreachable(Failure(.tls, "The secure connection to \(host) failed in the TLS handshake."))
        case let error as HTTPClientError where error == .alreadyShutdown:
            self = .unreachable(Failure(.stopping, "The request was not sent: the daemon is stopping."))
        case let error as HTTPClientError where Self.malformed.contains(error.shortDescription):
            self = .unreachable(Failure(.profile, "The request to \(host) is not valid (\(error.shortDescription))."))
        case is BudgetSpent:
            self = .lost(host, "took too long to answer")
        case let error as HTTPClientError where error == .deadlineExceeded || error == .readTimeout:
            self = .lost(host, "took too long to answer")
        case is UnusableStatus:
            self = .lost(host, "sent an answer with an invalid status")
        case is CancellationError:
            self = .lost(host, "had not answered when the request was cancelled")
        case let error as HTTPClientError where error == .cancelled:
            self = .lost(host, "had not answered when the request was cancelled")
        case is NIOTooManyBytesError, NIOHTTPDecompression.DecompressionError.limit:
            self = .lost(Failure(.tooLarge, "The answer of the backend at \(host) exceeds the size limit.", outcomeUnknown: true))
        default:
            self = .lost(host, "dropped the connection before its answer was complete")
        }
    }

    /// Why no connection could be made, in words; nil for an error that came later.
    static func obstacle(_ error: any Error, _ findings: Findings) -> String? {
        switch error {
        case let error as NIOConnectionError:
            let refused = error.connectionErrors.compactMap { $0.error as? IOError }.first
            let unnamed = findings.name == .unanswered ? Self.unanswered : "its name is unknown"
            return mayLackName(error) ? unnamed : refused.map(words) ?? "no connection"
        case let error as IOError where connecting.contains(error.errnoCode): return words(error)
        case let error as HTTPClientError where slowConnect.contains(error):
            return findings.name == .unanswered ? unanswered : "connecting took too long"
        default: return nil
        }
    }

    /// The DNS lookup may have failed or gone unanswered.
    static func mayLackName(_ error: any Error) -> Bool {
        if let error = error as? NIOConnectionError { return error.dnsAError != nil && error.connectionErrors.isEmpty }
        return (error as? HTTPClientError).map(slowConnect.contains) ?? false
    }

    private static let unanswered = "its name cannot be looked up; the network may be down"

    private static func offline(_ host: String, _ why: String) -> Self {
        .unreachable(Failure(.offline, "The backend at \(host) does not answer (\(why))."))
    }

    private static func lost(_ host: String, _ what: String) -> Self {
        .lost(Failure(.lostAnswer, "The backend at \(host) \(what).", outcomeUnknown: true))
    }

    private static func refused(_ certificate: CertificateDates?, of host: String, now: Date) -> Failure {
        let clock = "this station’s clock says \(text(now))"
        guard plausibleTime.contains(now) else {
            return Failure(.clock, "The certificate of \(host) was refused, and \(clock), which cannot be right. Set the clock.")
        }
        return switch certificate {
        case nil:
            Failure(
                .tls,
                "The certificate of \(host) was refused: it has expired, is not valid yet, or was issued by an authority not trusted here.")
        // More often, the local clock is behind.
        case .some(let dates) where now < dates.from:
            Failure(.clock, "The certificate of \(host) is valid only from \(text(dates.from)), and \(clock).")
        case .some(let dates) where now > dates.until:
            Failure(.tls, "The certificate of \(host) expired on \(text(dates.until)); \(clock).")
        case .some:
            Failure(
                .tls,
                "The certificate of \(host) was issued by an authority that this station does not trust. Is a proxy in the way? If the certificate is the right one, ask an administrator to name its authority in ca_file."
            )
        }
    }

    /// `2026-11-22 03:15 UTC`, in any time zone.
    private static func text(_ date: Date) -> String {
        let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space).year().month().day().time(includingFractionalSeconds: false)
        return date.formatted(style).prefix(16) + " UTC"
    }

    /// The range of credible times; a clock outside it is wrong.
    private static let plausibleTime = Date(timeIntervalSince1970: 1_793_491_200)..<Date(timeIntervalSince1970: 2_424_643_200)

    /// No route, no port, no descriptor.
    private static let connecting: Set<Int32> = [
        ECONNREFUSED, EINVAL, ENETUNREACH, EHOSTUNREACH, ENETDOWN, EADDRNOTAVAIL, EAFNOSUPPORT, EMFILE, ENFILE, EACCES, EPERM,
    ]

    private static let slowConnect: [HTTPClientError] = [
        .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout, .httpProxyHandshakeTimeout,
    ]

    /// By description, because some of these errors carry values.
    private static let malformed = [HTTPClientError]([
        .invalidURL, .emptyHost, .emptyScheme, .invalidHeaderFieldNames([]), .invalidHeaderFieldValues([]),
    ]).map(\.shortDescription)

    private static func words(_ error: IOError) -> String {
        // The kernel's error for a blackhole route (ip-route(8)).
        error.errnoCode == EINVAL ? "there is no route to it" : String(cString: strerror(error.errnoCode)).lowercased()
    }
}
