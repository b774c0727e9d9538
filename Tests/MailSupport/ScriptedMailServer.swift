import NIOCore
import NIOPosix
import Synchronization

/// An SMTP server with scripted replies on a port of loopback. It keeps the mails that it accepted.
package final class ScriptedMailServer: Sendable {
    package enum Reply: Sendable {
        /// Written as it is.
        case text(String)
        case close
        case silence
    }

    /// Decides the reply to a command; an empty command stands for a new connection, and `.` for the end of a mail.
    package typealias Script = @Sendable (_ command: String) -> Reply

    /// As a usual server answers.
    package static func usual(_ command: String) -> Reply {
        switch command.prefix(4).uppercased() {
        case "": .text("220 mail.test ESMTP\r\n")
        case "EHLO": .text("250-mail.test\r\n250-SIZE 10240000\r\n250 8BITMIME\r\n")
        case "DATA": .text("354 End with a dot\r\n")
        case "QUIT": .text("221 Bye\r\n")
        default: .text("250 OK\r\n")
        }
    }

    private let channel: any Channel
    private let seen: Seen

    fileprivate final class Seen: Sendable {
        let commands = Mutex<[String]>([])
        let mails = Mutex<[ReceivedMail]>([])
    }

    /// - Parameter port: 0 for any.
    package init(port: Int = 0, _ script: @escaping Script = { ScriptedMailServer.usual($0) }) async throws {
        let seen = Seen()
        self.seen = seen
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(MailServerHandler(script, seen))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
    }

    package var port: Int { channel.localAddress?.port ?? 0 }
    /// Of all connections, in the order of their arrival.
    package var commands: [String] { seen.commands.withLock { $0 } }
    package var mails: [ReceivedMail] { seen.mails.withLock { $0 } }
    package func stop() async { try? await channel.close() }  // `try?`: it may be closed already

    /// A port on which nothing listens.
    package static func freePort() async throws -> Int {
        let server = try await ScriptedMailServer()
        let port = server.port
        await server.stop()
        return port
    }
}

private final class MailServerHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let script: ScriptedMailServer.Script
    private let seen: ScriptedMailServer.Seen
    private var line: [UInt8] = []
    private var mail = ReceivedMail()
    private var isInMail = false

    init(_ script: @escaping ScriptedMailServer.Script, _ seen: ScriptedMailServer.Seen) { (self.script, self.seen) = (script, seen) }

    func channelActive(context: ChannelHandlerContext) { answer("", context) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        for byte in unwrapInboundIn(data).readableBytesView {
            line.append(byte)
            guard line.suffix(2) == [0x0d, 0x0a] else { continue }
            let text = String(decoding: line.dropLast(2), as: UTF8.self)
            line = []
            guard isInMail, text != "." else {
                answer(text, context)
                continue
            }
            mail.lines.append(text.hasPrefix(".") ? String(text.dropFirst()) : text)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answer(_ command: String, _ context: ChannelHandlerContext) {
        seen.commands.withLock { $0.append(command) }
        let reply = script(command)
        if command.hasPrefix("MAIL") { mail = ReceivedMail(sender: command) }
        if case .text(let text) = reply { note(command, isAccepted: text.hasPrefix("2"), isGoAhead: text.hasPrefix("3")) }
        switch reply {
        case .text(let text): context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        case .close: context.close(promise: nil)
        case .silence: break
        }
    }

    private func note(_ command: String, isAccepted: Bool, isGoAhead: Bool) {
        if command.hasPrefix("RCPT"), isAccepted { mail.recipients.append(command) }
        let received = mail
        if command == ".", isAccepted { seen.mails.withLock { $0.append(received) } }
        isInMail = command == "DATA" && isGoAhead
    }
}
