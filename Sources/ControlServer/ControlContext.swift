import Hummingbird
import NIOCore
import NIOHTTPTypes

/// A request's context: who asks.
struct ControlContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    /// The caller waits for leave to send its body (RFC 9110 10.1.1).
    func sayContinue() async throws { try await channel.writeAndFlush(HTTPResponsePart.head(.init(status: .continue))) }

    /// Who asks; nil where they have gone.
    func peer() async -> Peer? {
        // `try?`: the event loop has ended with the daemon, hence nil.
        try? await channel.eventLoop.submit { [channel] in channel.peer }.get()
    }
}
