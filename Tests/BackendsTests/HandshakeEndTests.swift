import NIOCore
import NIOEmbedded
import NIOSSL
import Testing

@testable import Backends

/// Which error of a TLS handshake counts, in any order of arrival.
struct HandshakeEndTests {
    /// As of a refused certificate: BoringSSL's own errors cannot be made here.
    private static let refused = NIOSSLError.handshakeFailed(.sslError([]))
    private static let closed = NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake]))
    private static let reset = IOError(errnoCode: 104, reason: "read")

    /// The error that is reported for these ones, which come in one turn of the loop, with the end of the channel after the first.
    private func end(_ errors: any Error...) throws -> (any Error)? {
        let channel = EmbeddedChannel()
        let promise = channel.embeddedEventLoop.makePromise(of: Void.self)
        try channel.pipeline.syncOperations.addHandler(HandshakeEnd(promise))
        for error in errors { channel.pipeline.fireErrorCaught(error) }
        channel.close(promise: nil)
        channel.embeddedEventLoop.run()
        do { try promise.futureResult.wait() } catch { return error }
        return nil
    }

    @Test func refusalWinsInAnyOrder() throws {
        #expect(try end(Self.refused) as? NIOSSLError == Self.refused)
        #expect(try end(Self.closed, Self.refused) as? NIOSSLError == Self.refused)
        #expect(try end(Self.refused, Self.closed) as? NIOSSLError == Self.refused)
        #expect(try end(Self.reset, Self.closed, Self.refused) as? NIOSSLError == Self.refused)
        #expect(try end(Self.closed, NIOSSLExtraError.failedToValidateHostname) is NIOSSLExtraError)
    }

    @Test func firstOfSeveralUnnamedErrorsCounts() throws {
        #expect(try end(Self.closed, NIOSSLError.shutdownFailed(.zeroReturn)) as? NIOSSLError == Self.closed)
        #expect(try end(Self.reset, Self.closed) is IOError)
    }

    @Test func endWithoutAnErrorIsAnEndOfFile() throws {
        #expect(try end() as? ChannelError == .eof)
    }
}
