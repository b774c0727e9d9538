import ControlServer
import Foundation
import Glibc
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import ControlAPI

@Suite struct ControlClientTests {
    private let directory: TemporaryDirectory
    private let socket: UnixSocket

    init() throws {
        directory = try TemporaryDirectory()
        socket = try UnixSocket(path: directory("homing.sock"), mode: 0o660)
    }

    /// Fills the backlog and returns the descriptors.
    private func fillBacklog() throws -> [Int32] {
        try #require(listen(socket.descriptor, 0) == 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(socket.path.utf8)) }
        var open: [Int32] = []
        while true {
            let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            try #require(descriptor >= 0)
            open.append(descriptor)
            let outcome = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            if outcome != 0 {
                try #require(errno == EAGAIN)
                return open
            }
        }
    }

    @Test func connectsAgainWhileTheBacklogIsFull() async throws {
        let open = try fillBacklog()
        defer { for descriptor in open { close(descriptor) } }
        let client = ControlClient(socketPath: socket.path, timeout: .seconds(600))
        let problem = try await withGrowingLimit(from: .seconds(1)) { limit in
            await #expect(throws: Problem.self) {
                try await ControlClient(socketPath: socket.path, timeout: limit).call(Endpoints.status, NoInput())
            }
        } until: {
            $0?.code != .timeout
        }
        #expect(problem?.code == .busy, "\(String(describing: problem))")
        let server = ControlServer(socket: socket, service: FakeService().service, log: .silent)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            _ = try await client.call(Endpoints.status, NoInput())
            group.cancelAll()
        }
    }

    @Test func saysAtOnceThatTheServiceDoesNotRun() async throws {
        let state = try #require(ServiceState("ActiveState=failed\nSubState=failed\nResult=exit-code\nNRestarts=5"))
        let client = ControlClient(socketPath: socket.path, timeout: .seconds(600)) { state }
        let problem = await #expect(throws: Problem.self) { try await client.call(Endpoints.status, NoInput()) }
        #expect(problem == state.problem)
    }

    @Test(arguments: ["ActiveState=active\nSubState=running\nResult=success\nNRestarts=0", ""])
    func waitsWhileServiceRunsOrStateIsUnknown(properties: String) async throws {
        let client = ControlClient(socketPath: socket.path, timeout: .seconds(2)) { ServiceState(properties) }
        let problem = await #expect(throws: Problem.self) { try await client.call(Endpoints.status, NoInput()) }
        #expect(problem?.code == .timeout)
    }

    /// Closes the first connection without a response.
    private final class CutsOffOnce: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        let connections = Mutex(0)

        func channelActive(context: ChannelHandlerContext) { connections.withLock { $0 += 1 } }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let isFirst = connections.withLock { $0 == 1 }
            if !isFirst {
                context.writeAndFlush(NIOAny(ByteBuffer(string: "HTTP/1.1 418 \r\nContent-Length: 0\r\n\r\n")), promise: nil)
            }
            context.close(promise: nil)
        }
    }

    /// Answers each connection in its own way.
    private final class Speaker: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        private let head: String
        private let isDripping: Bool

        init(_ head: String, isDripping: Bool = false) { (self.head, self.isDripping) = (head, isDripping) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            context.writeAndFlush(NIOAny(ByteBuffer(string: head)), promise: nil)
            guard isDripping else { return }
            let channel = context.channel
            let drip = context.eventLoop.scheduleRepeatedTask(initialDelay: .milliseconds(10), delay: .milliseconds(10)) { _ in
                channel.writeAndFlush(ByteBuffer(string: " "), promise: nil)
            }
            channel.closeFuture.whenComplete { _ in drip.cancel() }
        }
    }

    private func problem(from speaker: Speaker, within timeout: Duration) async throws -> Problem? {
        let directory = try TemporaryDirectory()
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { $0.pipeline.addHandler(speaker) }
            .bind(unixDomainSocketPath: directory("other.sock")).get()
        let client = ControlClient(socketPath: directory("other.sock"), timeout: timeout)
        let problem = await #expect(throws: Problem.self) { try await client.call(Endpoints.status, NoInput()) }
        try await server.close()
        return problem
    }

    @Test func anotherProgramOnTheSocketIsNamed() async throws {
        let problem = try await problem(from: Speaker("SSH-2.0-OpenSSH_9.2\r\n"), within: .seconds(600))
        #expect(problem?.code == .daemonNotRunning, "\(String(describing: problem))")
        #expect(problem?.detail.hasPrefix("Something else than homingd answers at ") == true, "\(problem?.detail ?? "")")
    }

    /// A capture would leave the station unencrypted.
    @Test func followsNoRedirect() async throws {
        let elsewhere = CutsOffOnce()
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { $0.pipeline.addHandler(elsewhere) }
            .bind(host: "127.0.0.1", port: 0).get()
        let place = "http://127.0.0.1:\(server.localAddress?.port ?? 0)/"
        let head = "HTTP/1.1 307 Temporary Redirect\r\nLocation: \(place)\r\nContent-Length: 0\r\n\r\n"
        let problem = try await problem(from: Speaker(head), within: .seconds(600))
        #expect(problem?.status == 307, "\(String(describing: problem))")
        #expect(elsewhere.connections.withLock(\.self) == 0)
        try await server.close()
    }

    /// A server that sends a byte now and then does not keep the client.
    @Test func limitsTheTimeOfAWholeAnswer() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"
        let problem = try await problem(from: Speaker(head, isDripping: true), within: .seconds(1))
        #expect(problem?.code == .timeout, "\(String(describing: problem))")
    }

    @Test func retriesOnlyGETAfterBrokenConnection() async throws {
        let directory = try TemporaryDirectory()
        let handler = CutsOffOnce()
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { $0.pipeline.addHandler(handler) }
            .bind(unixDomainSocketPath: directory("other.sock")).get()
        let client = ControlClient(socketPath: directory("other.sock"), timeout: .seconds(600))
        let change = await #expect(throws: Problem.self) { try await client.call(Endpoints.sync, SyncRequest()) }
        #expect(change?.code == .daemonNotRunning && handler.connections.withLock(\.self) == 1)
        handler.connections.withLock { $0 = 0 }
        let look = await #expect(throws: Problem.self) { try await client.call(Endpoints.status, NoInput()) }
        #expect(look?.status == 418 && handler.connections.withLock(\.self) == 2)
        try await server.close()
    }
}
