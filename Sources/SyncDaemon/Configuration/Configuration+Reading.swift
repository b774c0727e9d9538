import Backends
import Capture
import Delivery
import Foundation
import SyncModel

extension Configuration {
    /// Reads the configuration; returns the defaults without a file. Throws all mistakes together.
    package static func load(file named: String?, environment: [String: String]) throws(Mistakes) -> Configuration {
        let mistakes = MistakeCollector()
        let configuration = read(file: named, environment: environment, mistakes: mistakes)
        try mistakes.check()
        return configuration ?? Configuration(places: Places(environment: environment))
    }

    /// As `load`, with defaults for invalid values; nil if the file cannot be read.
    static func read(file named: String?, environment: [String: String], mistakes: MistakeCollector) -> Configuration? {
        let places = Places(environment: environment)
        let file = named ?? places.configurationFile
        var configuration = Configuration(places: places)
        do throws(ProxyRules.BadVariable) { configuration.limits.proxies = try ProxyRules(environment: environment) } catch {
            mistakes.add(
                Mistake(file: "the environment", key: error.name, found: "not a proxy address", expected: "http://host:port, or nothing"))
        }
        let hasFile = named != nil || FileManager.default.fileExists(atPath: file)
        configuration.files = (hasFile ? [file] : []) + DropIns(of: file).files(mistakes)
        guard !configuration.files.isEmpty else { return configuration }
        let directory = URL(fileURLWithPath: file).standardizedFileURL.deletingLastPathComponent()
        let folder = directory.path
        configuration.file = file
        configuration.backends = directory.appendingPathComponent("backends").path
        var (merged, hasText) = (YAMLNode?.none, true)
        for path in configuration.files {
            guard let text = YAMLNode.text(of: path) else {
                let found = YAMLNode.unreadable("no readable file", at: path)
                let expected = path == file ? "the configuration, as YAML" : "a regular file of UTF-8 text, at most 1 MiB"
                mistakes.add(Mistake(file: path, key: "", found: found, expected: expected))
                if path == file { hasText = false }
                continue
            }
            guard !isEmpty(text), let node = YAMLNode.parse(text, file: path, mistakes: mistakes),
                StrictTable(node, mistakes: mistakes) != nil
            else { continue }
            merged = merged.map { node.merged(over: $0) } ?? node
        }
        guard hasText else { return nil }
        if let merged, let table = StrictTable(merged, mistakes: mistakes) { configuration.read(table, folder: folder) }
        return configuration
    }

    /// True for nothing but comments.
    private static func isEmpty(_ text: String) -> Bool {
        // At any line ending: in Swift, CR LF is one character and not equal to "\n".
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        return lines.allSatisfy { $0.isEmpty || $0.hasPrefix("#") }
    }

    private mutating func note(_ key: String, in table: StrictTable) {
        keyPlaces[table.key(key)] = table.value(key).map { KeyPlace(file: $0.file, line: $0.line) }
    }

    private mutating func read(_ table: StrictTable, folder: String) {
        func path(_ key: String, in table: StrictTable) -> String? {
            guard let text = table.text(key) else { return nil }
            guard !text.hasPrefix("~") else {
                table.reject(key, expected: "a path without ~, which only a shell expands")
                return nil
            }
            note(key, in: table)
            return text.hasPrefix("/") ? text : URL(fileURLWithPath: folder + "/" + text).standardizedFileURL.path
        }
        if let state = path("state_directory", in: table) {
            stateDirectory = state
            spool.directory = state + "/spool"
        }
        socket = path("socket", in: table) ?? socket
        backends = path("backends", in: table) ?? backends
        limits.caFile = path("ca_file", in: table)
        // `try?`: the cause does not matter here.
        if (try? limits.checkAuthorities()) == nil { table.reject("ca_file", expected: "a readable file with PEM certificates") }
        read(proxyIn: table)
        if let table = table.table("spool") {
            spool.directory = path("directory", in: table) ?? spool.directory
            spool.backend = table.text("backend")
            spool.route = table.text("route") ?? spool.route
            spool.isEnabled = table.bool("enabled") ?? spool.isEnabled
            spool.unclaimed = table.choice("unclaimed") ?? spool.unclaimed
            for key in ["backend", "route"] { note(key, in: table) }
            table.close()
        }
        if let table = table.table("delivery") { read(delivery: table) }
        if let table = table.table("timeouts") {
            limits.connect = table.seconds("connect", in: 0.1...600) ?? limits.connect
            limits.request = table.seconds("request", in: 0.1...3600) ?? limits.request
            limits.exchange = table.seconds("exchange", in: 0.1...7200) ?? limits.exchange
            if limits.exchange < limits.request { table.reject("exchange", expected: "at least timeouts.request") }
            table.close()
        }
        if let table = table.table("outbox") {
            maxBytes = table.int("max_bytes", in: (1 << 20)...(1 << 50)).map(Int64.init) ?? maxBytes
            keepDelivered = table.seconds("keep_delivered")?.seconds ?? keepDelivered
            table.close()
        }
        if let table = table.table("access") { read(access: table) }
        if let table = table.table("notify") { notify = NotifyConfiguration(table) { path($0, in: table) } }
        table.close()
    }

    /// These keys override the environment.
    private mutating func read(proxyIn table: StrictTable) {
        let named = table.read("proxy", isSecret: true, expected: "http://host:port, or none") { node in
            node.text.flatMap { text in text == "none" ? ProxyRules() : Proxy(text).map { ProxyRules(proxy: $0) } }
        }
        if let named { limits.proxies.proxy = named.proxy }
        limits.proxies.exceptions = table.texts("no_proxy") ?? limits.proxies.exceptions
    }

    private mutating func read(delivery table: StrictTable) {
        delivery.inFlight = table.int("in_flight", in: 1...64) ?? delivery.inFlight
        delivery.retry.attempts = table.int("attempts", in: 1...3) ?? delivery.retry.attempts
        let delays = 0.001...Quiet.longest
        delivery.retry.first = table.seconds("first_delay", in: delays)?.seconds ?? delivery.retry.first
        delivery.retry.ceiling = table.seconds("longest_delay", in: delays)?.seconds ?? delivery.retry.ceiling
        delivery.retry.factor = table.int("delay_factor", in: 1...10).map(Double.init) ?? delivery.retry.factor
        delivery.retry.lookupAfter = table.seconds("lookup_after", in: delays)?.seconds ?? delivery.retry.lookupAfter
        delivery.breaker.first = table.seconds("first_pause")?.seconds ?? delivery.breaker.first
        delivery.breaker.ceiling = table.seconds("longest_pause")?.seconds ?? delivery.breaker.ceiling
        if delivery.breaker.ceiling < delivery.breaker.first {
            table.reject(
                "longest_pause", expected: "at least delivery.first_pause", found: "\(Self.text(delivery.breaker.ceiling)) seconds")
        }
        table.close()
    }
}
