import Foundation
import StationSupport
import TestSupport

extension TestStation {
    /// Appends lines to the configuration, which the next start reads.
    func configure(_ lines: String) throws {
        let text = try String(contentsOfFile: directory("homing.yaml"), encoding: .utf8)
        try directory.write(text + lines, to: "homing.yaml")
    }

    /// Writes the secret of a webhook to the file `secret`, and returns it.
    @discardableResult func writeWebhookSecret() throws -> String {
        let secret = "whsec_" + Data(repeating: 7, count: 32).base64EncodedString()
        try directory.write(secret, to: "secret")
        guard chmod(directory("secret"), 0o600) == 0 else { throw CocoaError(.fileWriteNoPermission) }
        return secret
    }
}
