import NIOCore

/// Last handler of a connection: hands it over once active, or reports that it failed. NIO treats closing an inactive channel as a
/// programming error.
final class Handover<Connection: Sendable>: ChannelInboundHandler {
    typealias InboundIn = Never

    private var connection: Connection?
    private let arrivals: Arrivals<Connection>

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
