/// What the reference says of the keys that `NotifyConfiguration` reads; a test compares the two.
extension ConfigurationKey {
    static let notify: [ConfigurationKey] = [
        ConfigurationKey(
            path: "notify.webhook", type: "`https://` address, or `http://` to a loopback address",
            example: "https://alerts.clinic.example/homing",
            meaning: "The address that receives each notification as a POST with JSON; the table needs this key or `notify.mail`.",
            usual: "none"),
        ConfigurationKey(
            path: "notify.webhook_secret", type: "path", example: "/var/lib/homing/webhook.secret",
            meaning: "A file, readable by the daemon’s user only, with the secret that signs messages.",
            usual: "the credential `homing.webhook` of the service"),
        flag("notify.delivered_after_outage", "false", "Whether to notify when everything was delivered after an outage."),
        flag("notify.needs_person", "false", "Whether to notify when `homing status` lists something new."),
        flag("notify.sign_in", "false", "Whether to notify when a sign-in is required."),
        flag("notify.disk", "false", "Whether to notify when the disk or the outbox is full."),
        ConfigurationKey(
            path: "notify.no_delivery_hours", type: "whole number, 0 to 8760", example: "48",
            meaning: "The time without a delivery, while entries wait, after which to notify; 0 for never."
        ).counted(in: "hours"),
        ConfigurationKey(
            path: "notify.quiet_hours", type: "two times of day", example: "\"22:00-07:00\"",
            meaning: "A time of each day without messages, with one summary at its end.", usual: "none"),
        flag("notify.names", "true", "Whether names of people may appear."),
    ]

    static let mail: [ConfigurationKey] = [
        ConfigurationKey(
            path: "notify.mail.to", type: "mail address, or list of 1 to 100", example: "[it@clinic.example]",
            meaning: "The recipients; required in this table.", usual: "none"),
        ConfigurationKey(
            path: "notify.mail.from", type: "mail address", example: "homing@clinic.example", meaning: "The sender of each mail.",
            usual: "`homing@` and the host name"),
        ConfigurationKey(
            path: "notify.mail.server", type: "loopback address and port", example: "127.0.0.1:2525",
            meaning: "The mail server of this computer, which relays the mails."),
    ]

    private static func flag(_ path: String, _ example: String, _ meaning: String) -> ConfigurationKey {
        ConfigurationKey(path: path, type: "true or false", example: example, meaning: meaning)
    }
}
