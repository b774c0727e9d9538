import Hummingbird
import NIOCore
import NIOHTTPTypes

struct ControlContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    /// The client waits for 100 (Continue) before the body (RFC 9110 10.1.1).
    func sayContinue() async throws { try await channel.writeAndFlush(HTTPResponsePart.head(.init(status: .continue))) }

    /// Nil if the connection is gone.
    func peer() async -> Peer? {
        if let peer = Peer.ofConnection { return peer }
        return await channel.findPeer()
    }
}
