import Backends
import Capture
import ControlAPI
import ControlServer
import Delivery
import Foundation
import Mail
import Notifying
import SyncModel

extension Configuration {
    /// All keys and values as text, in a fixed order.
    var settings: [(key: String, value: String)] {
        [
            ("state_directory", stateDirectory),
            ("socket", socket),
            ("backends", backends),
            ("ca_file", limits.caFile ?? "the system’s"),
            ("proxy", limits.proxies.proxy?.description ?? "none"),
            ("no_proxy", limits.proxies.exceptions.joined(separator: ", ")),
            ("spool.enabled", String(spool.isEnabled)),
            ("spool.directory", spool.directory),
            ("spool.backend", spool.backend ?? "the only one"),
            ("spool.route", spool.route),
            ("spool.unclaimed", spool.unclaimed.rawValue),
            ("delivery.in_flight", String(delivery.inFlight)),
            ("delivery.attempts", String(delivery.retry.attempts)),
            ("delivery.first_delay", Self.text(delivery.retry.first)),
            ("delivery.delay_factor", Self.text(delivery.retry.factor)),
            ("delivery.longest_delay", Self.text(delivery.retry.ceiling)),
            ("delivery.lookup_after", Self.text(delivery.retry.lookupAfter)),
            ("delivery.first_pause", Self.text(delivery.breaker.first)),
            ("delivery.longest_pause", Self.text(delivery.breaker.ceiling)),
            ("timeouts.connect", Self.text(limits.connect.seconds)),
            ("timeouts.request", Self.text(limits.request.seconds)),
            ("timeouts.exchange", Self.text(limits.exchange.seconds)),
            ("outbox.max_bytes", String(maxBytes)),
            ("outbox.keep_delivered", Self.text(keepDelivered)),
            ("access.observe", Self.text(access[.observe])),
            ("access.operate", Self.text(access[.operate])),
            ("access.administer", Self.text(access[.administer])),
        ] + notifySettings
    }

    private var notifySettings: [(key: String, value: String)] {
        let rules = notify?.rules ?? NotifySettings()
        return [
            ("notify.webhook", notify?.webhook?.name ?? "none"),
            ("notify.webhook_secret", notify?.webhook.map { $0.secretFile ?? "the credential \(WebhookSecret.credential)" } ?? "none"),
            ("notify.mail.to", notify?.mail?.name ?? "none"),
            ("notify.mail.from", notify?.mail.map { $0.from?.description ?? "homing at the host name" } ?? "none"),
            ("notify.mail.server", (notify?.mail?.server ?? .usual).description),
            ("notify.delivered_after_outage", String(rules.deliveredAfterOutage)),
            ("notify.needs_person", String(rules.needsPerson)),
            ("notify.sign_in", String(rules.signIn)),
            ("notify.disk", String(rules.disk)),
            ("notify.no_delivery_hours", String(rules.noDeliveryHours)),
            ("notify.quiet_hours", rules.quietHours?.text ?? "none"),
            ("notify.names", String(rules.names)),
        ]
    }

    private static func text(_ group: AccessGroups.Group?) -> String { group?.name ?? "no group" }

    /// Without a fraction for whole numbers.
    static func text(_ number: Double) -> String { number.formatted(.number.grouping(.never).locale(Locale(identifier: "C"))) }
}
