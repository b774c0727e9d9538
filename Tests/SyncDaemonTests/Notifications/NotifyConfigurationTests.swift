import Backends
import Foundation
import Notifying
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
