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

    /// The peer, asked of the kernel for every request; nil where it has gone.
    func peer() async -> Peer? {
        guard let provider = channel as? any SocketOptionProvider else { return nil }
        let credentials: LinuxPeerCredentials? = try? await provider.unsafeGetSocketOption(  // `try?`: the connection is gone, hence nil
            level: .socket, name: .init(rawValue: LinuxPeerCredentials.option)
        ).get()
        return credentials.map { Peer(pid: $0.pid, uid: $0.uid, gid: $0.gid) }
    }
}

/// `struct ucred` as the kernel fills it (unix(7)).
private struct LinuxPeerCredentials: Sendable {
    var pid: Int32 = 0
    var uid: UInt32 = 0
    var gid: UInt32 = 0
    /// SO_PEERCRED.
    static let option: Int32 = 17
}
