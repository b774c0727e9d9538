import Backends
import Notifying

/// The declarations of the keys that `NotifyConfiguration` reads; a test compares the two.
extension ConfigurationKey {
    static let notify: [ConfigurationKey] = [
        key(
            "notify.webhook", "`https://` address, or `http://` to a loopback address", "https://alerts.clinic.example/homing",
            "The address that receives each notification as a POST with JSON; the table needs this key or `notify.mail`.", usual: "none"),
        key(
            "notify.webhook_secret", "path", "/var/lib/homing/webhook.secret",
            "A file, readable by the daemon’s user only, with the secret that signs messages.",
            usual: "the credential `homing.webhook` of the service"),
        flag("notify.delivered_after_outage", "false", "Whether to notify when everything was delivered after an outage."),
        flag("notify.needs_person", "false", "Whether to notify when `homing status` lists something new."),
        flag("notify.sign_in", "false", "Whether to notify when a sign-in is required."),
        flag("notify.disk", "false", "Whether to notify when the disk or the outbox is full."),
        ConfigurationKey(
            DeclaredKey(
                path: "notify.no_delivery_hours", type: StrictTable.expected(whole: NotifySettings.noDeliveryRange), example: "48",
                meaning: "The time without a delivery, while entries wait, after which to notify; 0 for never."
            ).counted(in: "hours")),
        key(
            "notify.quiet_hours", "two times of day", "\"22:00-07:00\"",
            "A time of each day without messages, with one summary at its end.", usual: "none"),
        flag("notify.names", "true", "Whether names of people may appear."),
    ]

    static let mail: [ConfigurationKey] = [
        key(
            "notify.mail.to", "email address, or a list of 1 to 100", "[it@clinic.example]", "The recipients; required in this table.",
            usual: "none"),
        key(
            "notify.mail.from", "email address", "homing@clinic.example", "The sender of each mail.", usual: "`homing@` and the host name"),
        key(
            "notify.mail.server", "loopback address and port", "127.0.0.1:2525",
            "The mail server of this computer, which relays the mails."),
    ]

    /// A key that `NotifyConfiguration` reads.
    private static func key(
        _ path: String, _ type: String, _ example: String, _ meaning: String, usual: String? = nil
    ) -> ConfigurationKey {
        ConfigurationKey(DeclaredKey(path: path, type: type, example: example, meaning: meaning, usual: usual))
    }

    private static func flag(_ path: String, _ example: String, _ meaning: String) -> ConfigurationKey {
        key(path, "true or false", example, meaning)
    }
}
