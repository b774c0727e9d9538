import Backends
import Capture
import Delivery
import SyncModel

/// The declarations, by table, from which the reader, the reference and the manual page come.
extension ConfigurationKey {
    static let all: [ConfigurationKey] = [top, spool, delivery, timeouts, outbox, access, notify, mail].flatMap(\.self)

    private static let delays: ClosedRange<Double> = 0.001...ServerPause.longest
    private static let tenYears: ClosedRange<Double> = 0.001...315_360_000

    private static let top: [ConfigurationKey] = [
        .path(
            "state_directory", "/srv/homing",
            "The folder for the outbox, the sessions and the key, which only one daemon can use at a time; a change needs a restart."
        ) {
            $0.stateDirectory = $1
            $0.spool.directory = $1 + "/spool"
        },
        .path("socket", "/run/clinic/homing.sock", "The control socket, on which programs reach the daemon; a change needs a restart.") {
            $0.socket = $1
        },
        .path(
            "backends", "profiles", "The folder with a profile (`NAME.yaml`) for each backend.", usual: "`backends` beside `homing.yaml`"
        ) { $0.backends = $1 },
        .path(
            "ca_file", "/etc/ssl/certs/ca-certificates.crt", "A PEM file with the only certificate authorities to trust for HTTPS.",
            usual: "the authorities of the system"
        ) { $0.limits.caFile = $1 },
        ConfigurationKey(
            DeclaredKey(
                path: "proxy", type: "`http://host:port`, also with `user:password@`, or `none`",
                example: "http://proxy.clinic.example:3128", meaning: "The HTTP proxy for HTTPS servers, or `none` for no proxy.",
                usual: "`HTTPS_PROXY` of the environment")
        ) { table, key, _, configuration in
            let named = table.read(key, isSecret: true, expected: "http://host:port, or none") { node in
                node.text.flatMap { text in text == "none" ? ProxyRules() : Proxy(text).map { ProxyRules(proxy: $0) } }
            }
            if let named { configuration.limits.proxies.proxy = named.proxy }
        },
        ConfigurationKey(
            DeclaredKey(
                path: "no_proxy", type: "text, or a list of texts", example: "[intranet.clinic.example, 10.0.0.5]",
                meaning: "Hosts, and domains including all their hosts, to reach without the proxy.",
                usual: "`NO_PROXY` of the environment")
        ) { table, key, _, configuration in
            if let hosts = table.texts(key) { configuration.limits.proxies.exceptions = hosts }
        },
    ]

    private static let spool: [ConfigurationKey] = [
        .bool("spool.enabled", "false", "Whether there is a drop folder, from whose folder `new` Homing accepts files.") {
            $0.spool.isEnabled = $1
        },
        .path("spool.directory", "/srv/drop", "The drop folder; without this key, it is `spool` in the state directory.") {
            $0.spool.directory = $1
        },
        .text(
            "spool.backend", "breathesafe", "The backend for dropped files, required if there are several backends.",
            usual: "the only backend"
        ) { $0.spool.backend = $1 },
        .text("spool.route", "fit_test", "The route for dropped files.") { $0.spool.route = $1 },
        ConfigurationKey(
            DeclaredKey(
                path: "spool.unclaimed", type: StrictTable.expected(oneOf: UnclaimedFiles.self), example: "hold",
                meaning: """
                    How Homing treats files that are dropped while signed out: `ask` sets them aside until a person claims them, `next` \
                    gives them to the next account that signs in, and with `hold` only an administrator may claim them.
                    """)
        ) { table, key, _, configuration in
            if let unclaimed = table.choice(key, as: UnclaimedFiles.self) { configuration.spool.unclaimed = unclaimed }
        },
    ]

    private static let delivery: [ConfigurationKey] = [
        .int("delivery.in_flight", in: 1...64, "requests", "8", "The highest number of concurrent requests for each backend.") {
            $0.delivery.inFlight = $1
        },
        .int("delivery.attempts", in: 1...3, "attempts", "2", "The number of counted attempts after which an entry fails.") {
            $0.delivery.retry.attempts = $1
        },
        .seconds(
            "delivery.first_delay", in: delays, "10",
            "The longest delay before the second counted attempt; the delay is random between zero and this time."
        ) { $0.delivery.retry.first = $1.seconds },
        .int("delivery.delay_factor", in: 1...10, "", "2", "The factor by which the delay grows after each counted attempt.") {
            $0.delivery.retry.factor = Double($1)
        },
        .seconds("delivery.longest_delay", in: delays, "1800", "The limit of the growing delay between counted attempts.") {
            $0.delivery.retry.ceiling = $1.seconds
        },
        .seconds(
            "delivery.lookup_after", in: delays, "60",
            "How long a server may still process a request whose response was lost, before Homing looks the entry up."
        ) { $0.delivery.retry.lookupAfter = $1.seconds },
        .seconds("delivery.first_pause", in: tenYears, "10", "The first pause before Homing tries a failing backend again.") {
            $0.delivery.breaker.first = $1.seconds
        },
        .seconds(
            "delivery.longest_pause", in: tenYears, "300",
            "The limit of the growing pause before Homing tries a failing backend again, at least `delivery.first_pause`."
        ) { $0.delivery.breaker.ceiling = $1.seconds },
    ]

    private static let timeouts: [ConfigurationKey] = [
        .seconds("timeouts.connect", in: 0.1...600, "20", "The longest time for connecting to a server, with TLS.") {
            $0.limits.connect = $1
        },
        .seconds("timeouts.request", in: 0.1...3600, "45", "The longest time without a byte in either direction.") {
            $0.limits.request = $1
        },
        .seconds(
            "timeouts.exchange", in: 0.1...7200, "120",
            """
            The longest time from sending a small request to the last byte of the response, at least `timeouts.request`; large ones get \
            one second more for every 8 KiB.
            """
        ) { $0.limits.exchange = $1 },
    ]

    private static let outbox: [ConfigurationKey] = [
        .int(
            "outbox.max_bytes", in: (1 << 20)...(1 << 50), "bytes", "8589934592",
            "The largest size of the outbox on the disk; at this size Homing refuses new entries and keeps delivering."
        ) { $0.maxBytes = Int64($1) },
        .seconds("outbox.keep_delivered", in: tenYears, "604800", "How long delivered entries stay listed; receipts stay for good.") {
            $0.keepDelivered = $1.seconds
        },
    ]
}
