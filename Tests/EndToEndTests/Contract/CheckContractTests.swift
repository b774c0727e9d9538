import Foundation
import StationSupport
import TestSupport
import Testing

/// A mistake in a profile. The error must name `key`.
struct WrongFile: Sendable, CustomTestStringConvertible {
    let profile: String
    let old: String
    let new: String
    let key: String

    init(_ profile: String, _ old: String, _ new: String, _ key: String) {
        (self.profile, self.old, self.new, self.key) = (profile, old, new, key)
    }

    var testDescription: String { "\(profile): \(key): \(new)" }
}

@Suite struct CheckContractTests {
    @Test(
        "34: the error for an invalid file names its key",
        arguments: [
            // Unknown, missing and duplicate keys.
            WrongFile("lists", "timeout: 30", "timeuot: 30", "timeuot"),
            WrongFile("lists", "schema: 1\n", "", "schema"),
            WrongFile("lists", "    access: /token\n", "", "auth.login.access"),
            WrongFile("lists", "timeout: 30", "timeout: 30\ntimeout: 31", "timeout"),
            // A value of the wrong type, out of range, not allowed, or duplicated.
            WrongFile("labloop", "skew: 180", "skew: soon", "auth.skew"),
            WrongFile("labloop", "lifetime: 900", "lifetime: 0", "auth.lifetime"),
            WrongFile("labloop", "on_failure: clear", "on_failure: forget", "auth.logout.on_failure"),
            WrongFile("labloop", "on_failure: clear", "on_failure: keep", "auth.logout.owed"),
            WrongFile("labloop", "owed: retry", "owed: forget", "auth.logout.owed"),
            WrongFile("labloop", "on_401: [refresh]", "on_401: [again]", "auth.on_401.0"),
            WrongFile("labloop", "on_401: [refresh]", "on_401: [refresh, refresh]", "auth.on_401"),
            WrongFile("labloop", "ok: /success", "ok: success", "errors.ok"),
            WrongFile("breathesafe", "\"Please log in.\", \"Unauthorized.\"]", "401]", "errors.auth.2"),
            WrongFile("breathesafe", "errors:\n", "errors: [1]\nold:\n", "errors"),
            // Addresses.
            WrongFile("labloop", "https://api.superonehealth.com", "http://api.superonehealth.com", "base_url"),
            WrongFile("labloop", "https://api.superonehealth.com", "https://user:word@api.superonehealth.com", "base_url"),
            WrongFile("labloop", "POST /mobile/appointments", "POST mobile/appointments", "routes.appointment.request"),
            WrongFile("labloop", "POST /mobile/appointments", "FETCH /mobile/appointments", "routes.appointment.request"),
            // Placeholders that are unknown, not allowed here, of another scheme, or incomplete.
            WrongFile("lists", "\"{item.name}\"", "\"{name}\"", "routes.create_list.json.list.name"),
            WrongFile("lists", "\"{item.name}\"", "\"{password}\"", "routes.create_list.json.list.name"),
            WrongFile("lists", "\"{item.name}\"", "\"{access}\"", "routes.create_list.json.list.name"),
            WrongFile("lists", "\"{item.name}\"", "\"{item.name\"", "routes.create_list.json.list.name"),
            WrongFile("lists-2026", "request: POST /api/v1/auth/refresh", "request: POST /r?t={refresh}", "auth.refresh.request"),
            WrongFile("lists-2026", "{refresh_token: \"{refresh}\"}", "{refresh_token: x}", "auth.refresh.request"),
            // Keys that require or exclude other keys.
            WrongFile("lists", "on_401: []", "on_401: [refresh]", "auth.on_401"),
            WrongFile("lists", "remote_id: /id", "remote_id: /id\n    empty: true", "routes.create_list.empty"),
            WrongFile("breathesafe", "    marker: /arkit_data/client_mutation_id\n", "", "routes.measurement.find"),
            // References to files.
            WrongFile("lists", "name: lists\n", "name: other\n", "name"),
            WrongFile("story16", "extends: firebase", "extends: nothing", "extends"),
            WrongFile("story16", "placement: query:auth", "placement: cookie", "auth.placement"),
            WrongFile("firebase", "    access: /idToken\n", "    access: idToken\n", "auth.login.access"),
        ])
    func errorNamesTheInvalidKey(wrong: WrongFile) async throws {
        let (code, text) = try await check { name, content in
            guard name == wrong.profile else { return Data(content.utf8) }
            let place = try #require(content.range(of: wrong.old), "\(name) does not hold \(wrong.old)")
            return Data(content.replacingCharacters(in: place, with: wrong.new).utf8)
        }
        #expect(code == 1, "\(text)")
        #expect(text.contains("/\(wrong.profile).yaml:") && text.contains(" \(wrong.key): expected "), "\(text)")
        #expect(text.hasSuffix(" mistake.\n") || text.hasSuffix(" mistakes.\n"), "\(text)")
    }

    /// There is no key to name, so the error names the file.
    @Test(
        "34: the error for a file that is no profile names the file",
        arguments: [Data("- a\n- b\n".utf8), Data("a: [\n".utf8), Data("\tname: x\n".utf8), Data([0xff, 0xfe, 0x61, 0x00]), Data()])
    func errorNamesAFileThatIsNoProfile(content: Data) async throws {
        let (code, text) = try await check { name, shipped in name == "lists" ? content : Data(shipped.utf8) }
        #expect(code == 1, "\(text)")
        #expect(text.contains("/lists.yaml"), "\(text)")
    }

    @Test("34: the shipped files are valid with and without a byte order mark", arguments: ["", "\u{feff}"])
    func shippedFilesAreValid(mark: String) async throws {
        let (code, text) = try await check(before: mark) { _, content in Data((mark + content).utf8) }
        #expect(code == 0, "\(text)")
        #expect(text.hasPrefix("The configuration is good."))
    }

    /// `edit` gets the name and the text of each shipped profile.
    private func check(before mark: String = "", _ edit: (String, String) throws -> Data) async throws -> (code: Int32, text: String) {
        let directory = try TemporaryDirectory()
        let shipped = TestStation.project + "/config/backends"
        try FileManager.default.createDirectory(atPath: directory("backends"), withIntermediateDirectories: true)
        for file in try FileManager.default.contentsOfDirectory(atPath: shipped) {
            let content = try String(contentsOfFile: "\(shipped)/\(file)", encoding: .utf8)
            try edit(file.replacing(".yaml", with: ""), content).write(to: URL(fileURLWithPath: directory("backends/\(file)")))
        }
        try directory.write("\(mark)state_directory: state\nsocket: homing.sock\nspool: {enabled: false}\n", to: "homing.yaml")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: TestStation.programs + "/homingd")
        process.arguments = ["check", "--config", directory("homing.yaml")]
        return try await process.ended()
    }
}
