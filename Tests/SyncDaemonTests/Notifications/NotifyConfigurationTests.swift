import Backends
import Foundation
import Mail
import Notifying
import Outbox
import TestSupport
import Testing

@testable import SyncDaemon

@Suite struct NotifyConfigurationTests {
    private let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    private func load(_ text: String) throws -> Configuration {
        try directory.write(text, to: "homing.yaml")
        return try Configuration.load(file: directory("homing.yaml"), environment: ["HOME": directory.path])
    }

    @Test func nothingIsSentWithoutTheTable() throws { #expect(try load("socket: h.sock\n").notify == nil) }

    @Test func readsRulesAndResolvesTheFile() throws {
        let notify = try load(
            "notify: {webhook: \"https://alerts.test/a/token\", webhook_secret: secret, disk: false, quiet_hours: \"22:00-07:00\"}\n"
        ).notify
        #expect(notify?.webhook == NotifyConfiguration.Webhook(url: "https://alerts.test/a/token", secretFile: directory("secret")))
        #expect(notify?.rules.disk == false && notify?.rules.quietHours?.text == "22:00-07:00" && notify?.rules.names == false)
    }

    @Test(arguments: [
        ("{disk: true}", "notify.webhook", "https://host/path"), ("{webhook: \"http://far.test/\"}", "notify.webhook", "https://host/path"),
        ("{webhook: \"https://a.test/\", nanes: true}", "notify.nanes", "one of"),
        ("{webhook: \"https://a.test/\", names: yes}", "notify.names", "true or false"),
        ("{webhook: \"https://a.test/\", webhook_secret: ~/secret}", "notify.webhook_secret", "a path without ~"),
        ("{disk: true}", "notify.webhook", "or a table notify.mail"), ("{mail: it@a.test}", "notify.mail", "a table of keys"),
        ("{mail: {}}", "notify.mail.to", "1 to 100 email addresses"), ("{mail: {to: []}}", "notify.mail.to", "1 to 100 email addresses"),
        ("{mail: {to: [it@a.test, \"IT <it@a.test>\"]}}", "notify.mail.to.1", "an email address in ASCII"),
        ("{mail: {to: \"it@a.test\\r\\nBcc: eve@a.test\"}}", "notify.mail.to", "an email address in ASCII"),
        ("{mail: {to: it@a.test, from: homing}}", "notify.mail.from", "an email address in ASCII"),
        ("{mail: {to: it@a.test, server: \"mail.clinic.example:25\"}}", "notify.mail.server", "without a password or encryption"),
        ("{mail: {to: it@a.test, password: secret}}", "notify.mail.password", "one of from, server, to"),
        ("{mail: {to: it@a.test}, webhook_secret: s}", "notify.webhook_secret", "notify.webhook beside it"),
    ]) func mistakeIsNamed(table: String, key: String, words: String) throws {
        let mistakes = #expect(throws: Mistakes.self) { try load("notify: \(table)\n") }
        let mistake = try #require(mistakes?.all.first)
        #expect(mistake.key == key && mistake.expected.contains(words))
    }

    @Test(arguments: [
        "notify: {webhook: \"https://u:hunter2@a.test/\"}", "notify: {webhook: \"http://a.test/hunter2\"}",
        "notify: {webhook: \"https://a.test/\", webhook_secret: whsec_hunter2}", "proxy: \"ftp://u:hunter2@a.test\"",
    ]) func mistakeDoesNotRepeatASecret(text: String) throws {
        let mistakes = try #require(#expect(throws: Mistakes.self) { try load(text + "\n") })
        #expect(!"\(mistakes)".contains("hunter2"), "\(mistakes)")
    }

    @Test func secretIsAPlainFile() throws {
        mkfifo(directory("pipe"), 0o600)
        try FileManager.default.createSymbolicLink(atPath: directory("endless"), withDestinationPath: "/dev/zero")
        for name in ["pipe", "endless"] {
            let webhook = NotifyConfiguration.Webhook(url: "https://a.test/", secretFile: directory(name))
            let error = #expect(throws: StartError.self) { try WebhookSecret(for: webhook, environment: [:]) }
            #expect(error?.description.contains("not a file") == true)
        }
    }

    @Test func readsMailAlone() throws {
        let notify = try load("notify: {mail: {to: [it@a.test, root@localhost], from: homing@a.test, server: \"[::1]:2525\"}}\n").notify
        #expect(notify?.webhook == nil && notify?.receivers.map(\.rawValue) == ["mail"])
        #expect(notify?.mail?.to.map(\.description) == ["it@a.test", "root@localhost"])
        #expect(notify?.mail?.from?.description == "homing@a.test")
        #expect(notify?.places == "mail to it@a.test, root@localhost through [::1]:2525")
    }

    @Test func bothReceiversGetTheMessages() throws {
        let notify = try load("notify: {webhook: \"https://a.test/\", mail: {to: it@a.test}}\n").notify
        #expect(notify?.receivers.map(\.rawValue) == ["webhook", "mail"])
        #expect(notify?.mail?.server == MailServer.usual && notify?.mail?.from == nil)
    }

    /// Messages must not go to an address that was removed, and other changes must not lose one.
    @Test func ruleDependsOnAddressesAndNames() throws {
        func rule(_ table: String) throws -> String? { try load("notify: \(table)\n").notify?.rule }
        let rules = try [
            "{mail: {to: it@a.test}}", "{mail: {to: [it@a.test, b@a.test]}}", "{mail: {to: it@a.test}, names: true}",
            "{webhook: \"https://a.test/\", mail: {to: it@a.test}}", "{webhook: \"https://a.test/\"}",
        ].map(rule)
        #expect(Set(rules).count == rules.count)
        #expect(try rule("{mail: {to: it@a.test, from: homing@a.test, server: localhost}}") == rules[0])
    }

    @Test func settingsTellMailAddressesApartWithoutShowingThem() throws {
        func shown(_ to: String) throws -> String? {
            try load("notify: {mail: {to: \(to)}}\n").settings.first { $0.key == "notify.mail.to" }?.value
        }
        let (first, second) = (try #require(try shown("it@a.test")), try #require(try shown("is@a.test")))
        #expect(first != second && first.hasPrefix("1 address (") && !first.contains("@"))
    }

    @Test func suggestsASimilarKey() {
        let mistakes = #expect(throws: Mistakes.self) { try load("notify: {webhok: \"https://a.test/\"}\n") }
        #expect(mistakes?.description.contains("did you mean webhook") == true)
    }

    @Test func settingsTellAddressesApartWithoutTheirPath() throws {
        func shown(_ path: String) throws -> String? {
            try load("notify: {webhook: \"https://alerts.test/\(path)\"}\n").settings.first { $0.key == "notify.webhook" }?.value
        }
        let (first, second) = (try #require(try shown("token-1")), try #require(try shown("token-2")))
        #expect(first != second && first.hasPrefix("https://alerts.test:443") && !first.contains("token"))
    }

    @Test func checkReportsTheSecretWithoutRepeatingIt() throws {
        _ = try load("notify: {webhook: \"https://a.test/\", webhook_secret: secret}\n")
        func text() -> String? { NotifyCheckReport.text(file: directory("homing.yaml"), environment: [:]) }
        #expect(text()?.contains("there is no file \(directory("secret"))") == true)
        try directory.write("not-a-secret", to: "secret")
        #expect(chmod(directory("secret"), 0o600) == 0)
        #expect(text()?.contains("whsec_") == true && text()?.contains("not-a-secret") == false)
        try directory.write(WebhookSecretTests.text, to: "secret")
        #expect(chmod(directory("secret"), 0o600) == 0)
        #expect(text() == nil)
    }
}
