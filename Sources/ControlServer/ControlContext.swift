import Hummingbird
import NIOCore

/// A request's context: who asks.
struct ControlContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    /// Who asks; nil where they have gone.
    func peer() async -> Peer? {
        // `try?`: the event loop has ended with the daemon, hence nil.
        try? await channel.eventLoop.submit { [channel] in channel.peer }.get()
    }
}
