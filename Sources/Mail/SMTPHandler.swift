import Glibc
import NIOCore

/// Performs a conversation on a connection. The end of the promise closes the connection.
final class SMTPHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var conversation: SMTPConversation
    private let limits: SMTPClient.Limits
    private let ended: EventLoopPromise<MailOutcome>
    private var replies = SMTPReplyReader()
    private var timer: Scheduled<Void>?
    private var isOver = false

    init(_ conversation: SMTPConversation, _ limits: SMTPClient.Limits, _ ended: EventLoopPromise<MailOutcome>) {
        (self.conversation, self.limits, self.ended) = (conversation, limits, ended)
    }

    func channelActive(context: ChannelHandlerContext) { awaitReply(within: limits.reply, context) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        do throws(SMTPReply.Malformed) {
            guard let reply = try replies.read(unwrapInboundIn(data).readableBytesView) else { return }
            let step = conversation.received(reply)
            // After the last reply, a server may say that it closes the connection.
            if replies.hasSurplus, !step.isEnd { throw SMTPReply.Malformed(reason: "The server sent more than one reply.") }
            perform(step, context)
        } catch {
            perform(.end(.failed(error.reason)), context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) { end(.failed("The server closed the connection.")) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let words = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
        end(.failed("The connection broke: \(words)."))
    }

    private func perform(_ step: SMTPConversation.Step, _ context: ChannelHandlerContext) {
        switch step {
        case .send(let command):
            write(command, context)
            awaitReply(within: limits.reply, context)
        case .deliver(let mail):
            write(mail, context)
            awaitReply(within: limits.acceptance, context)
        case .end(let outcome):
            // The server’s reply to this changes nothing.
            write("QUIT\r\n", context)
            end(outcome)
        }
    }

    private func write(_ text: String, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    }

    /// Covers the whole reply, however slowly its bytes come.
    private func awaitReply(within limit: TimeAmount, _ context: ChannelHandlerContext) {
        timer?.cancel()
        timer = context.eventLoop.scheduleTask(in: limit) { [ended] in ended.succeed(.failed("The server took too long to reply.")) }
    }

    private func end(_ outcome: MailOutcome) {
        isOver = true
        timer?.cancel()
        ended.succeed(outcome)
    }
}
