import Backends
import Foundation
import NIOSSL
import SyncModel
import TestSupport
import Testing

struct TLSTests {
    private func get(
        _ certificate: String, caFile: String?, cutting cuts: Int = 0, byReset: Bool = false, clock: any SyncClock = SystemClock()
    ) async throws -> Result<InboundResponse, TransportError> {
        let server = try await TLSServer(certificate: certificate, cutting: cuts, byReset: byReset)
        let transport = try HTTPTransport(TransportLimits(connect: .seconds(600), caFile: caFile), clock: clock)
        let result: Result<InboundResponse, TransportError>
        do throws(TransportError) {
            result = .success(try await transport.send(OutboundRequest(method: "GET", url: server.url)))
        } catch {
            result = .failure(error)
        }
        await transport.shutdown()
        try await server.close()
        return result
    }

    private func refusal(_ result: Result<InboundResponse, TransportError>) throws -> Failure {
        guard case .failure(.unreachable(let failure)) = result else { throw Failure(.profile, "expected a refusal: \(result)") }
        return failure
    }

    @Test func aCertificateOfTheGivenAuthorityIsTrusted() async throws {
        #expect(try await get("good.pem", caFile: TLSServer.file("ca.pem")).get().status == 200)
    }

    @Test func refusesUnknownAuthority() async throws {
        let failure = try refusal(try await get("good.pem", caFile: nil))
        #expect(failure.reason == .tls)
        #expect(failure.message.contains("was issued by an authority that this station does not trust"))
    }

    /// The connections of the request end in their handshakes, as if the peer ended them before it took the refusal of its certificate.
    @Test(arguments: [1, 2], [false, true])
    func refusedCertificateIsNamedAfterConnectionsThatWereCut(cuts: Int, byReset: Bool) async throws {
        let failure = try refusal(try await get("good.pem", caFile: nil, cutting: cuts, byReset: byReset))
        #expect(failure.reason == .tls)
        #expect(failure.message.contains("was issued by an authority that this station does not trust"))
    }

    @Test(arguments: [false, true]) func requestThatWasNotSentIsTriedAgainAtOnce(byReset: Bool) async throws {
        #expect(try await get("good.pem", caFile: TLSServer.file("ca.pem"), cutting: 1, byReset: byReset).get().status == 200)
    }

    @Test(arguments: [2, 3], [false, true]) func connectionThatWasCutTwiceIsOffline(cuts: Int, byReset: Bool) async throws {
        let failure = try refusal(try await get("good.pem", caFile: TLSServer.file("ca.pem"), cutting: cuts, byReset: byReset))
        #expect(failure == Failure(.offline, "The backend at localhost does not answer (the connection broke during setup)."))
    }

    @Test func aCertificateForAnotherNameIsRefused() async throws {
        let failure = try refusal(try await get("other.pem", caFile: TLSServer.file("ca.pem")))
        #expect(failure.reason == .tls)
        #expect(failure.message.contains("another name"))
    }

    @Test func anExpiredCertificateIsRefused() async throws {
        let failure = try refusal(try await get("expired.pem", caFile: TLSServer.file("ca.pem")))
        #expect(failure.reason == .tls)
        #expect(failure.message.contains("expired on "))
        #expect(failure.message.contains(" UTC; this station’s clock says 20"))
    }

    /// The clock is slow, but not implausibly so.
    @Test func blamesClockForCertificateNotYetValid() async throws {
        let clock = TestClock(Date(timeIntervalSince1970: 1_793_880_000))
        let failure = try refusal(try await get("good.pem", caFile: nil, clock: clock))
        #expect(failure.reason == .clock)
        #expect(
            failure.message
                == "The certificate of localhost is valid only from 2026-11-21 08:24 UTC, and this station’s clock says 2026-11-05 12:00 UTC."
        )
    }

    @Test func blamesWrongClockForRefusedCertificate() async throws {
        let clock = TestClock(Date(timeIntervalSince1970: 0))
        let failure = try refusal(try await get("expired.pem", caFile: TLSServer.file("ca.pem"), clock: clock))
        #expect(failure.reason == .clock)
        #expect(failure.message.contains("Set the clock"))
    }

    @Test(arguments: [(TLSVersion.tlsv1, false), (.tlsv11, false), (.tlsv12, true), (.tlsv13, true)])
    func speaksTLS12OrLater(version: TLSVersion, isSpoken: Bool) async throws {
        let server = try await TLSServer(certificate: "good.pem", newest: version)
        let transport = try HTTPTransport(TransportLimits(connect: .seconds(600), caFile: TLSServer.file("ca.pem")))
        let error = await failure { () throws(TransportError) in
            try await transport.send(OutboundRequest(method: "GET", url: server.url))
        }
        #expect((error == nil) == isSpoken)
        if let error { #expect(error.failure.message.contains("Homing requires TLS 1.2 or later"), "\(error)") }
        await transport.shutdown()
        try await server.close()
    }

    @Test func aCAFileWithoutACertificateIsAnError() throws {
        #expect(throws: Failure.self) { try HTTPTransport(TransportLimits(caFile: TLSServer.file("server.key"))) }
    }
}
