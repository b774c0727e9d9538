import NIOCore
import Synchronization

/// The open connections of one listener, for closing all at once.
final class Connections: Sendable {
    private let open = Mutex<[ObjectIdentifier: any Channel]?>([:])

    /// Keeps a connection until it is removed; after `closeAll`, closes it at once.
    func add(_ channel: any Channel) {
        let isKept = open.withLock { open in
            open?[ObjectIdentifier(channel)] = channel
            return open != nil
        }
        if !isKept { channel.close(mode: .all, promise: nil) }
    }

    func remove(_ channel: any Channel) {
        _ = open.withLock { $0?.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    func closeAll() {
        let channels = open.withLock { open in
            defer { open = nil }
            return open ?? [:]
        }
        for channel in channels.values { channel.close(mode: .all, promise: nil) }
    }
}
