import Backends
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

    /// Reads the configuration with defaults for invalid values; nil if the file cannot be read.
    ///
    /// - Parameter planned: drop-ins that are not in place yet, by path.
    static func read(
        file named: String?, environment: [String: String], mistakes: MistakeCollector, planned: [String: YAMLNode] = [:]
    ) -> Configuration? {
        let places = Places(environment: environment)
        let file = named ?? places.configurationFile
        var configuration = Configuration(places: places)
        do throws(ProxyRules.BadVariable) { configuration.limits.proxies = try ProxyRules(environment: environment) } catch {
            mistakes.add(
                Mistake(file: "the environment", key: error.name, found: "not a proxy address", expected: "http://host:port, or nothing"))
        }
        let hasFile = named != nil || FileManager.default.fileExists(atPath: file)
        configuration.files = (hasFile ? [file] : []) + DropIns(of: file).files(mistakes, and: Array(planned.keys))
        guard !configuration.files.isEmpty else { return configuration }
        let directory = URL(fileURLWithPath: file).standardizedFileURL.deletingLastPathComponent()
        let folder = directory.path
        configuration.file = file
        configuration.backends = directory.appendingPathComponent("backends").path
        var (merged, isRead) = (YAMLNode?.none, true)
        for path in configuration.files {
            let text = planned[path] == nil ? content(of: path, isMain: path == file, mistakes) : nil
            if path == file, text == nil { isRead = false }
            guard let node = planned[path] ?? text.flatMap({ table(in: $0, of: path, mistakes) }) else { continue }
            merged = merged.map { node.merged(over: $0) } ?? node
        }
        guard isRead else { return nil }
        if let merged, let table = StrictTable(merged, mistakes: mistakes) { configuration.read(table, folder: folder) }
        return configuration
    }

    /// Nil, with a mistake, if the file cannot be read.
    private static func content(of path: String, isMain: Bool, _ mistakes: MistakeCollector) -> String? {
        if let text = YAMLNode.text(of: path) { return text }
        let found = YAMLNode.unreadable("no readable file", at: path)
        let expected = isMain ? "the configuration, as YAML" : "a regular file of UTF-8 text, at most 1 MiB"
        mistakes.add(Mistake(file: path, key: "", found: found, expected: expected))
        return nil
    }

    /// Nil for an empty text, and, with a mistake, for one without a table.
    private static func table(in text: String, of path: String, _ mistakes: MistakeCollector) -> YAMLNode? {
        guard !isEmpty(text), let node = YAMLNode.parse(text, file: path, mistakes: mistakes) else { return nil }
        return StrictTable(node, mistakes: mistakes)?.node
    }

    /// True for nothing but comments.
    private static func isEmpty(_ text: String) -> Bool {
        // At any line ending: in Swift, CR LF is one character and not equal to "\n".
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        return lines.allSatisfy { $0.isEmpty || $0.hasPrefix("#") }
    }

    private mutating func read(_ root: StrictTable, folder: String) {
        readKeys(of: root, folder: folder)
        // `try?`: the cause does not matter here.
        if (try? limits.checkAuthorities()) == nil { root.reject("ca_file", expected: "a readable file with PEM certificates") }
        for name in ["spool", "delivery", "timeouts", "outbox", "access"] {
            guard let table = root.table(name) else { continue }
            readKeys(of: table, folder: folder)
            checkTogether(table)
            table.close()
        }
        if let table = root.table("notify") { notify = NotifyConfiguration(table) { table.filePath($0, from: folder) } }
        root.close()
    }

    /// Reads the declared keys of the table.
    private mutating func readKeys(of table: StrictTable, folder: String) {
        for key in ConfigurationKey.all where key.declared.table == table.path {
            guard let reader = key.reader else { continue }
            let name = key.declared.name
            reader(table, name, folder, &self)
            keyPlaces[key.declared.path] = table.value(name).map { KeyPlace(file: $0.file, line: $0.line) }
        }
    }

    /// Checks keys that must fit each other.
    private func checkTogether(_ table: StrictTable) {
        switch table.path {
        case "timeouts" where limits.exchange < limits.request: table.reject("exchange", expected: "at least timeouts.request")
        case "delivery" where delivery.breaker.ceiling < delivery.breaker.first:
            table.reject(
                "longest_pause", expected: "at least delivery.first_pause", found: "\(Self.text(delivery.breaker.ceiling)) seconds")
        default: break
        }
    }
}
