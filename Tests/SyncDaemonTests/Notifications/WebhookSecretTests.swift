import Foundation
import TestSupport
import Testing

@testable import SyncDaemon

@Suite struct WebhookSecretTests {
    static let text = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    @Test func signsIdTimeAndBody() throws {
        let secret = try #require(WebhookSecret(Self.text))
        let body = Data(#"{"test": 2432232314}"#.utf8)
        let signature = secret.signature(id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330, body: body)
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test(arguments: ["", "whsec_", "whsec_c2hvcnQ=", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_!!!"])
    func refusesOtherForms(text: String) { #expect(WebhookSecret(text).map { "\($0)" } == nil) }

    @Test func doesNotPrintItself() throws {
        let secret = try #require(WebhookSecret(Self.text))
        #expect("\(secret)" == "[secret]" && !String(reflecting: secret).contains("MfKQ"))
    }

    @Test func readsTheCredentialAndRefusesAnExposedFile() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Self.text + "\n", to: "homing.webhook")
        #expect(chmod(directory("homing.webhook"), 0o644) == 0)
        let credential = NotifyConfiguration.Webhook(url: "https://a.test/", secretFile: nil)
        _ = try WebhookSecret(for: credential, environment: ["CREDENTIALS_DIRECTORY": directory.path])
        let file = NotifyConfiguration.Webhook(url: "https://a.test/", secretFile: directory("homing.webhook"))
        let error = #expect(throws: StartError.self) { try WebhookSecret(for: file, environment: [:]) }
        #expect(error?.description.contains("chmod 600") == true)
        #expect(throws: StartError.self) { try WebhookSecret(for: credential, environment: [:]) }
    }
}
