import NIOCore

/// At the end of an accepted connection's pipeline: hands the connection out once it is active, or says that it does not come.
///
/// Earlier it could not be closed yet, and NIO takes an attempt for a mistake of ours.
final class Handover<Connection: Sendable>: ChannelInboundHandler {
    typealias InboundIn = Never

    private var connection: Connection?
    private let arrivals: Arrivals<Connection>

    /// - Parameter arrivals: to which it was announced.
    init(_ connection: Connection, to arrivals: Arrivals<Connection>) { (self.connection, self.arrivals) = (connection, arrivals) }

    func channelActive(context: ChannelHandlerContext) {
        if let connection { arrivals.arrived(connection) }
        connection = nil
        context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        if connection != nil { arrivals.arrived(nil) }
        connection = nil
    }
}
