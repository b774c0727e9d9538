import Backends
import Foundation
import Glibc
import SyncModel
import TestSupport
import Testing

struct ProfileLibraryTests {
    @Test func theShippedProfileLoads() throws {
        let backend = try breathesafe()
        #expect(backend.name == "breathesafe")
        #expect(backend.baseURL == "https://www.breathesafe.xyz")
        #expect(
            backend.routes == [
                "create_managed_user", "delete_fit_test", "delete_managed_user", "edit_fit_test", "fit_test", "manual_measurement",
                "measurement", "profile",
            ])
        #expect(backend.hasHealth)
        #expect(backend.onDead(route: "measurement") == .skipFailed)
        #expect(backend.onDead(route: "create_managed_user") == .skip)
        #expect(backend.canLookUp(route: "measurement") && !backend.canLookUp(route: "fit_test"))
        #expect(backend.isAtMostOnce(route: "create_managed_user") && !backend.isAtMostOnce(route: "measurement"))
        #expect(backend.outboxOnSignOut == .hold)
    }

    @Test func ignoresLeadingByteOrderMarkOnly() throws {
        #expect(try load(["breathesafe.yaml": "\u{feff}\(shippedProfile)"]).map(\.name) == ["breathesafe"])
        #expect(throws: Mistakes.self) { try load(["breathesafe.yaml": shippedProfile.replacing("\nname:", with: "\n\u{feff}name:")]) }
    }

    @Test func extendingProfileMergesTablesAndReplacesLists() throws {
        let lab = """
            schema: 1
            name: lab
            extends: breathesafe
            base_url: http://127.0.0.1:4000/api/
            errors: {code: [/code]}
            """
        let backends = try load(["breathesafe.yaml": shippedProfile, "lab.yaml": lab])
        #expect(backends.map(\.name) == ["breathesafe", "lab"])
        let request = try backends[1].request(for: mutation())
        #expect(request.url == "http://127.0.0.1:4000/api/users/5/facial_measurements_from_arkit")
        // The list `code` was replaced; `message` still applies.
        let verdict = backends[1].verdict(on: answer(422, #"{"messages":["Please log in."]}"#), to: mutation(), at: noon)
        #expect(verdict == .transient(Failure(.refused, status: 422, "lab answered: Please log in.")))
    }

    @Test func presetIsNotABackend() throws {
        let preset = shippedProfile.replacing("name: breathesafe\nbase_url: https://www.breathesafe.xyz\n", with: "")
        let site = "schema: 1\nname: site\nextends: preset\nbase_url: https://example.org\n"
        #expect(try load(["preset.yaml": preset, "site.yaml": site]).map(\.name) == ["site"])
    }

    @Test func onlyOneLevelOfExtendsIsAllowed() async throws {
        let middle = "schema: 1\nname: middle\nextends: breathesafe\nbase_url: https://example.org\n"
        let top = "schema: 1\nname: top\nextends: middle\nbase_url: https://example.org\n"
        let mistakes = try #require(
            #expect(throws: Mistakes.self) {
                try load(["breathesafe.yaml": shippedProfile, "middle.yaml": middle, "top.yaml": top])
            })
        #expect(mistakes.all.map(\.key) == ["extends"])
        #expect(mistakes.all[0].file.hasSuffix("top.yaml"))
    }

    @Test func reportsAllMistakesOfAllFilesAtOnce() throws {
        let one = edited("timeout: 60", "timeout: soon").replacing("scheme: cookie", with: "scheme: cookies")
        let two = "schema: 1\nname: two\n"
        let mistakes = try #require(
            #expect(throws: Mistakes.self) { try load(["breathesafe.yaml": one, "two.yaml": two, "three.yaml": "a: [b"]) })
        let keys = mistakes.all.map { "\(($0.file as NSString).lastPathComponent) \($0.key)" }
        #expect(keys.contains("breathesafe.yaml timeout") && keys.contains("breathesafe.yaml auth.scheme"))
        #expect(keys.contains("two.yaml base_url") && keys.contains("two.yaml auth"))
        #expect(keys.contains("three.yaml "))
    }

    @Test func duplicateProfileNameIsAMistake() throws {
        let copy = "schema: 1\nname: breathesafe\nextends: breathesafe\nbase_url: https://example.org\n"
        let mistakes = try #require(#expect(throws: Mistakes.self) { try load(["breathesafe.yaml": shippedProfile, "copy.yaml": copy]) })
        #expect(mistakes.all.map(\.key) == ["name"])
    }

    @Test func missingFolderIsAMistake() throws {
        let mistakes = try #require(
            #expect(throws: Mistakes.self) { try ProfileLibrary.load(directory: "/nowhere/at/all", deviceID: "d", version: "1") })
        #expect(mistakes.all.count == 1)
    }

    /// If they were expanded, the aliases would exceed any memory.
    @Test(arguments: [8, 60], [false, true])
    func refusesNestedAliasesAtOnce(levels: Int, asKeys: Bool) throws {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
        for level in 1..<levels {
            let one = "*a\(level - 1)"
            text += asKeys ? "a\(level): &a\(level) {? \(one) : 1, ? [\(one)] : 2}\n" : "a\(level): &a\(level) [\(one), \(one), \(one)]\n"
        }
        let mistakes = try #require(#expect(throws: Mistakes.self) { try load(["breathesafe.yaml": text + shippedProfile]) })
        #expect(mistakes.all.contains { $0.expected.contains("itself") || $0.expected.contains("themselves") }, "\(mistakes)")
    }

    @Test(arguments: [(63, false), (64, true), (900, true)], ["[]", "{}"])
    func tooManyLevelsAreAMistake(inner: (levels: Int, isMistake: Bool), brackets: String) throws {
        let open = brackets == "[]" ? "[" : "{a: "
        let deep = String(repeating: open, count: inner.levels) + String(repeating: String(brackets.suffix(1)), count: inner.levels)
        let mistakes = try #require(
            #expect(throws: Mistakes.self) { try load(["breathesafe.yaml": "unknown: \(deep)\n\(shippedProfile)"]) })
        #expect(mistakes.all.contains { $0.expected == "at most 64 levels of lists and tables" } == inner.isMistake, "\(mistakes)")
        #expect(mistakes.all.count { $0.key == "unknown" } == 1)
    }

    @Test func asterisksInTextAreNotAliases() throws {
        let stars = String(repeating: "# *a *b *c *d *e *f *g *h *i *j\n", count: 3)
        let text = edited("{Accept: application/json}", #"{Accept: "application/json, */*; q=0.*"}"#)
        #expect(try load(["breathesafe.yaml": stars + text]).count == 1)
    }

    /// Opening a pipe could block forever.
    @Test func nonRegularOrHugeFileIsAMistake() throws {
        let folder = try TemporaryDirectory()
        try folder.write(shippedProfile, to: "breathesafe.yaml")
        try #require(mkfifo(folder("a.yaml"), 0o600) == 0)
        try #require(symlink("/dev/zero", folder("b.yaml")) == 0)
        try #require(mkdir(folder("c.yaml"), 0o700) == 0)
        try #require(symlink("/nowhere/at/all", folder("d.yaml")) == 0)
        try folder.write("", to: "e.yaml")
        try #require(truncate(folder("e.yaml"), 4 << 30) == 0)
        let mistakes = try #require(
            #expect(throws: Mistakes.self) { try ProfileLibrary.load(directory: folder.path, deviceID: "d", version: "1") })
        #expect(mistakes.all.map { ($0.file as NSString).lastPathComponent } == ["a.yaml", "b.yaml", "c.yaml", "d.yaml", "e.yaml"])
        #expect(mistakes.all.allSatisfy { $0.expected.contains("regular file") })
    }

    @Test func followsLinkToProfile() throws {
        let (folder, elsewhere) = (try TemporaryDirectory(), try TemporaryDirectory())
        try elsewhere.write(shippedProfile, to: "mine.yaml")
        try #require(symlink(elsewhere("mine.yaml"), folder("breathesafe.yaml")) == 0)
        #expect(try ProfileLibrary.load(directory: folder.path, deviceID: "d", version: "1").map(\.name) == ["breathesafe"])
    }

    /// Text from a file must neither control the terminal nor flood it.
    @Test(arguments: [#""\e[2J\u202e""#, #""a\nFORGED""#, String(repeating: "a", count: 100_000)])
    func printsMistakeOnOneLegibleLine(value: String) throws {
        let mistakes = try #require(
            #expect(throws: Mistakes.self) { try load(["breathesafe.yaml": edited("timeout: 60", "timeout: \(value)")]) })
        let line = mistakes.description
        #expect(!line.contains("\n") && !line.contains("\u{1b}") && !line.contains("\u{202e}"))
        #expect(line.count < 1000)
        #expect(line.contains("timeout: expected a number of seconds from"))
    }

    @Test func insertsVarsAndConstantsIntoText() throws {
        let profile = shippedProfile.replacing(
            "headers: {Accept: application/json}", with: "vars: {lab: north}\nheaders: {X-Lab: '{lab}/{device_id}/{version}'}")
        let request = try load(["breathesafe.yaml": profile])[0].request(for: mutation())
        #expect(request.headers.contains(HeaderField("X-Lab", "north/device-1/1.0")))
        #expect(request.headers.contains(HeaderField("Accept", "application/json")))
    }
}
