import Foundation
import StationSupport
import TestSupport
import Testing

@Suite struct WebhookTests {
    @Test func messageSurvivesAnOutageAndIsNotRepeatedAfterARestart() async throws {
        let station = try await TestStation()
        // Only for a free port: nothing listens there at first.
        let port = try #require(try await freePort())
        let secret = try station.writeWebhookSecret()
        try station.configure("notify: {webhook: \"http://127.0.0.1:\(port)/alerts\", webhook_secret: secret}\n")

        try await station.start()
        try await station.login()
        try await station.submit(user: 10, id: 1)  // user 10 belongs to another account, so the server refuses at once
        try await station.end(SIGTERM)
        try await station.start()

        let receiver = try await ScriptedServer(port: port) { _ in ScriptedServer.Answer(204, "") }
        let first = try await requests(1, to: receiver)[0]
        #expect(first.line == "POST /alerts" && first.header("webhook-signature").hasPrefix("v1,"))
        #expect(first.body.contains(#""title":"1 entry needs your decision""#) && !first.body.contains(secret))

        try await station.end(SIGTERM)
        try await station.start()
        try await station.submit(user: 10, id: 2)
        let all = try await requests(2, to: receiver)
        #expect(all.count == 2 && all[1].body.contains(#""title":"2 entries need your decision""#))
        try await station.end(SIGTERM)
        await receiver.stop()
    }

    private func freePort() async throws -> Int? {
        let server = try await ScriptedServer { _ in ScriptedServer.Answer(204, "") }
        let port = URL(string: server.url)?.port
        await server.stop()
        return port
    }

    /// Waits for so many messages, or more. Counts one once that was repeated because its answer was lost in a restart.
    private func requests(_ count: Int, to receiver: ScriptedServer) async throws -> [ScriptedServer.Request] {
        try await firstValue {
            var ids = Set<String>()
            let messages = receiver.requests.filter { ids.insert($0.header("webhook-id")).inserted }
            return messages.count >= count ? messages : nil
        }
    }
}
