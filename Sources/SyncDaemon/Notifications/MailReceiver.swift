import ControlAPI
import Foundation
import Logging
import Mail
import Outbox

/// Sends messages as mails through the mail server of this computer.
struct MailReceiver: NotificationReceiver {
    private let mail: NotifyConfiguration.Mail
    private let station: String
    private let log: Logger

    /// - Parameter station: the host name.
    init(_ mail: NotifyConfiguration.Mail, station: String, log: Logger) { (self.mail, self.station, self.log) = (mail, station, log) }

    var kind: StoredNotification.Receiver { .mail }

    func send(_ notification: StoredNotification, at now: Date) async -> NotificationRetry.Outcome {
        guard let message = content(of: notification) else {
            log.error("A notification cannot be read", metadata: ["id": "\(notification.id)"])
            return .refused
        }
        switch await SMTPClient(server: mail.server, name: station).send(message) {
        case .accepted(let missed):
            if !missed.isEmpty { note("The mail server refused some recipients of a notification", missed.joined(separator: "; ")) }
            return .delivered
        case .failed(let reason):
            note("The mail server did not accept a notification; will retry", reason)
            return .failed()
        case .refused(let reason):
            note("The mail server refused a notification", reason)
            return .refused
        case .unreachable(let reason):
            note("The mail server cannot be reached; will retry", reason)
            return .unreachable
        }
    }

    private func note(_ words: Logger.Message, _ reason: String) {
        log.warning(words, metadata: ["server": "\(mail.server)", "reason": "\(reason)"])
    }

    /// Nil for a payload that is none.
    private func content(of notification: StoredNotification) -> MailMessage? {
        guard let message = StationMessage(encoded: notification.payload),
            let id = MailAddress("\(notification.id)@\(MailAddress.domain(of: message.station))"),
            let from = mail.from ?? MailAddress("homing@\(MailAddress.domain(of: station))")
        else { return nil }
        let name = message.station.printable
        return MailMessage(
            id: id, from: from, to: mail.to, date: message.at, subject: "Homing on \(name): \(message.title.printable)",
            text: "\(message.title).\n\n\(message.text)\n\nThis message is from the station \(name). Run commands there.")
    }
}
