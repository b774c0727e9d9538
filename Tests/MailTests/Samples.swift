import Foundation

@testable import Mail

extension MailMessage {
    /// To anna@a.test and ben@b.test.
    static func sample(subject: String = "Homing on front-desk: Sign-in required", text: String = "Sign in.") throws -> MailMessage {
        MailMessage(
            id: try address("41e6c2de-0000-4000-8000-000000000001@front-desk"), from: try address("homing@front-desk"),
            to: [try address("anna@a.test"), try address("ben@b.test")], date: Date(timeIntervalSince1970: 1_765_000_000), subject: subject,
            text: text)
    }

    private struct NoAddress: Error {}

    private static func address(_ text: String) throws -> MailAddress {
        guard let address = MailAddress(text) else { throw NoAddress() }
        return address
    }
}
