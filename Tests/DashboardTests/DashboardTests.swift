import AsyncHTTPClient
import ControlAPI
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import Dashboard

/// The real server on a loopback port, without a daemon.
@Suite(.timeLimit(.minutes(10))) struct DashboardTests {
    private let client = ControlClient(socketPath: "/nonexistent/homing.sock")

    private func port(of address: String) throws -> Int {
        try #require(address.firstMatch(of: #/127\.0\.0\.1:(\d+)/#).flatMap { Int($0.output.1) })
    }

    @Test func servesOnLoopbackAlone() async throws {
        let keys = Keys()
        let (addresses, address) = AsyncStream.makeStream(of: String.self)
        try await withThrowingTaskGroup { group in
            group.addTask { try await Dashboard(client: client, keys: keys).run { address.yield($0) } }
            var found = addresses.makeAsyncIterator()
            let first = try #require(await found.next())
            #expect(first.hasPrefix("http://127.0.0.1:") && first.hasSuffix("/\(keys.place)/?token=\(keys.token)"))
            let opened = try await HTTPClient.shared.execute(HTTPClientRequest(url: first), timeout: .seconds(300))
            let cookie = try #require(opened.headers.first(name: "set-cookie")?.split(separator: ";").first)
            _ = try await opened.body.collect(upTo: 1 << 20)
            var request = HTTPClientRequest(url: String(first.prefix { $0 != "?" }))
            request.headers.add(name: "cookie", value: String(cookie))
            let page = try await HTTPClient.shared.execute(request, timeout: .seconds(300))
            #expect(page.status == .serviceUnavailable)
            #expect(String(buffer: try await page.body.collect(upTo: 1 << 20)).contains("Homing is not running"))
            let stranger = try await HTTPClient.shared.execute(HTTPClientRequest(url: request.url), timeout: .seconds(300))
            #expect(stranger.status == .forbidden)
            _ = try await stranger.body.collect(upTo: 1 << 20)
            let elsewhere = try SocketAddress(ipAddress: "127.0.0.2", port: port(of: first))
            await #expect(throws: IOError.self) {
                try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(to: elsewhere).get().close()
            }
            group.cancelAll()
        }
    }

    private func serve(_ lobby: Lobby, keys: Keys = Keys(), _ work: (Int) async throws -> Void) async throws {
        let (addresses, address) = AsyncStream.makeStream(of: String.self)
        try await withThrowingTaskGroup { group in
            group.addTask { try await Dashboard(client: client, keys: keys, lobby: lobby).run { address.yield($0) } }
            var found = addresses.makeAsyncIterator()
            let first = try #require(await found.next())
            try await work(port(of: first))
            group.cancelAll()
        }
    }

    private func connect(_ port: Int) async throws -> any Channel {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(host: "127.0.0.1", port: port).get()
    }

    @Test func strangersNeverTakeTheRoomOfThePerson() async throws {
        let keys = Keys()
        try await serve(Lobby(patience: .hours(24)), keys: keys) { port in
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/\(keys.place)/style.css")
            request.headers.add(name: "cookie", value: "homing=\(keys.session)")
            var strangers: [any Channel] = []
            let (closed, close) = AsyncStream.makeStream(of: Void.self)
            for _ in 0...Lobby.room {
                let stranger = try await connect(port)
                stranger.closeFuture.whenComplete { _ in close.yield() }
                strangers.append(stranger)
            }
            for await _ in closed { break }
            let style = try await HTTPClient.shared.execute(request, timeout: .seconds(300))
            #expect(style.status == .ok)
            _ = try await style.body.collect(upTo: 1 << 20)
            for stranger in strangers { stranger.close(promise: nil) }
        }
    }

    @Test func silentStrangerLeaves() async throws {
        try await serve(Lobby(patience: .milliseconds(1))) { port in try await connect(port).closeFuture.get() }
    }

    @Test func refusedStrangerLeaves() async throws {
        try await serve(Lobby(patience: .hours(24))) { port in
            let stranger = try await connect(port)
            try await stranger.writeAndFlush(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n"))
            try await stranger.closeFuture.get()
        }
    }

    /// A browser repeats the address as that of the page before.
    @Test func answersAnOverlongAddress() async throws {
        let keys = Keys()
        try await serve(Lobby(patience: .hours(24)), keys: keys) { port in
            let address = "http://127.0.0.1:\(port)/\(keys.place)/?find=" + String(repeating: "x", count: 20_000)
            var request = HTTPClientRequest(url: address)
            request.headers.add(name: "cookie", value: "homing=\(keys.session)")
            request.headers.add(name: "referer", value: address)
            let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(300))
            #expect(answer.status == .uriTooLong)
            let text = String(buffer: try await answer.body.collect(upTo: 1 << 20))
            #expect(text.contains("This address is too long.") && text.utf8.count < 1000)
        }
    }

    /// Everything that the server sends until it ends the connection.
    private func answer(to head: String, at port: Int) async throws -> String {
        let connection = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await connection.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: head))
            var answer = ByteBuffer()
            for try await part in inbound { answer.writeImmutableBuffer(part) }
            return String(buffer: answer)
        }
    }

    /// In every language, because the header that names the preferred one comes after the address.
    @Test(arguments: [("", 100_000), ("", 1_000_000), ("Referer", 40_000)])
    func answersAnAddressThatIsTooLongToBeRead(repeatedIn field: String, length: Int) async throws {
        let keys = Keys()
        try await serve(Lobby(patience: .hours(24)), keys: keys) { port in
            let path = "/\(keys.place)/?find=" + String(repeating: "x", count: length)
            let repeated = field.isEmpty ? "" : "\(field): http://127.0.0.1:\(port)\(path)\r\n"
            let head = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: homing=\(keys.session)\r\n\(repeated)\r\n"
            let answer = try await answer(to: head, at: port)
            #expect(answer.hasPrefix("HTTP/1.1 414 ") && answer.count < 1500, "\(answer.prefix(2000))")
            for part in ["content-type: text/html; charset=utf-8", "connection: close", "content-security-policy: default-src 'none'"] {
                #expect(answer.lowercased().contains(part), "\(answer)")
            }
            #expect(answer.contains("<p lang=\"en\">This address is too long.</p><p lang=\"vi\">Địa chỉ này quá dài.</p>"))
        }
    }

    @Test func answersOtherBrokenRequestsBriefly() async throws {
        try await serve(Lobby(patience: .hours(24))) { port in
            let answer = try await answer(to: "BROKEN\r\n\r\n", at: port)
            #expect(answer.hasPrefix("HTTP/1.1 400 "))
        }
    }

    @Test func endsWhenUnused() async throws {
        try await confirmation { serving in
            try await Dashboard(client: client, limit: .zero).run { _ in serving() }
        }
    }

    @Test func endsWhileBrowsersConnect() async throws {
        let (addresses, address) = AsyncStream.makeStream(of: String.self)
        let (ended, end) = AsyncStream.makeStream(of: Never.self)
        defer { end.finish() }
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await Dashboard(client: client, lobby: Lobby(patience: .hours(24))).run {
                    address.yield($0)
                    // The dashboard serves no connection before this returns.
                    for await _ in ended {}
                }
            }
            var found = addresses.makeAsyncIterator()
            let first = try #require(await found.next())
            var browsers: [any Channel] = []
            for _ in 1...8 { browsers.append(try await connect(port(of: first))) }
            // Between these, the loops accept the connections, set them up and make them active.
            for _ in 1...8 {
                for loop in Array(MultiThreadedEventLoopGroup.singleton.makeIterator()) { try await loop.submit {}.get() }
            }
            group.cancelAll()
            for browser in browsers { try await browser.closeFuture.get() }
        }
    }

    @Test func takenPortIsAProblem() async throws {
        let (addresses, address) = AsyncStream.makeStream(of: String.self)
        try await withThrowingTaskGroup { group in
            group.addTask { try await Dashboard(client: client).run { address.yield($0) } }
            var found = addresses.makeAsyncIterator()
            let first = try #require(await found.next())
            let port = try port(of: first)
            await #expect { try await Dashboard(client: client, port: port).run { _ in } } throws: {
                ($0 as? Problem)?.code == .invalidRequest
            }
            group.cancelAll()
        }
    }
}
