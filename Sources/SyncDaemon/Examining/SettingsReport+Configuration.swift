import Backends
import Capture
import ControlAPI
import ControlServer
import Delivery
import SyncModel

extension SettingsReport {
    init(_ configuration: Configuration, _ profiles: [Backend]) {
        func milliseconds(_ seconds: Double) -> Int { Int((min(seconds, 1e12) * 1000).rounded()) }
        let (limits, delivery) = (configuration.limits, configuration.delivery)
        self.init()
        (caFile, proxy, proxyExceptions) = (limits.caFile != nil, limits.proxies.proxy != nil, limits.proxies.exceptions.count)
        dropFolder = configuration.spool.isEnabled
        (inFlight, attempts) = (delivery.inFlight, delivery.retry.attempts)
        firstDelay = milliseconds(delivery.retry.first)
        longestDelay = milliseconds(delivery.retry.ceiling)
        lookupAfter = milliseconds(delivery.retry.lookupAfter)
        firstPause = milliseconds(delivery.breaker.first)
        longestPause = milliseconds(delivery.breaker.ceiling)
        connectTimeout = milliseconds(limits.connect.seconds)
        requestTimeout = milliseconds(limits.request.seconds)
        exchangeTimeout = milliseconds(limits.exchange.seconds)
        keepDelivered = milliseconds(configuration.keepDelivered)
        maxBytes = Int(configuration.maxBytes)
        observers = configuration.access.observe != nil
        operators = configuration.access.operate != nil
        administrators = configuration.access.administer != nil
        (webhook, mail) = (configuration.notify?.webhook != nil, configuration.notify?.mail != nil)
        backends = profiles.sorted { $0.name < $1.name }.map { ProfileReport($0) }
    }
}

extension ProfileReport {
    init(_ backend: Backend) {
        self.init()
        bearer = backend.profile.auth.scheme == .bearer
        https = backend.baseURL.lowercased().hasPrefix("https:")
        health = backend.hasHealth
        (routes, lists) = (backend.routes.count, backend.resources.count)
    }
}
