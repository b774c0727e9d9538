import Foundation
import MailSupport
import StationSupport
import TestSupport
import Testing

@Suite struct MailNotificationTests {
    /// Nothing ever listens at the webhook.
    @Test func mailSurvivesAnOutageAndARestartWhileTheWebhookIsDown() async throws {
        let station = try await TestStation()
        let port = try await ScriptedMailServer.freePort()
        try station.writeWebhookSecret()
        try station.configure(
            """
            notify:
              webhook: http://127.0.0.1:1/alerts
              webhook_secret: secret
              mail:
                to: [it@clinic.example, ben@clinic.example]
                from: homing@clinic.example
                server: 127.0.0.1:\(port)

            """)

        try await station.start()
        try await station.login()
        try await station.submit(user: 10, id: 1)  // user 10 belongs to another account, so the server refuses at once
        try await station.end(SIGTERM)
        try await station.start()

        let server = try await ScriptedMailServer(port: port)
        let first = try await mails(1, at: server)[0]
        #expect(first.sender == "MAIL FROM:<homing@clinic.example>" && first.recipients.count == 2)
        #expect(first.text.hasPrefix("1 entry needs your decision.\n\nTo see the next step, run: homing status\n\n"))

        try await station.end(SIGTERM)
        try await station.start()
        try await station.submit(user: 10, id: 2)
        let all = try await mails(2, at: server)
        #expect(all.count == 2 && all[1].text.hasPrefix("2 entries need your decision."))
        try await station.end(SIGTERM)
        await server.stop()
    }

    /// Waits for so many mails, or more. Counts one once that was repeated because its acceptance was lost in a restart.
    private func mails(_ count: Int, at server: ScriptedMailServer) async throws -> [ReceivedMail] {
        try await firstValue {
            var ids = Set<String>()
            let mails = server.mails.filter { ids.insert($0.header("Message-ID") ?? "").inserted }
            return mails.count >= count ? mails : nil
        }
    }
}
