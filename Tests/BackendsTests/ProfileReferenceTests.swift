import Foundation
import Testing

@testable import Backends

@Suite struct ProfileReferenceTests {
    private static let page = ShippedProfiles.project + "/Sources/SyncDaemon/Documentation.docc/ProfileReference.md"
    private static let paths = ProfileKeys.all.map(\.path)

    private func declaration(_ path: String) throws -> DeclaredKey { try #require(ProfileKeys.all.first { $0.path == path }) }

    /// To write the page: `homingd reference --profile > Sources/SyncDaemon/Documentation.docc/ProfileReference.md`
    @Test func pageIsTheOutputOfTheCommand() throws {
        #expect(try String(contentsOfFile: Self.page, encoding: .utf8) == ProfileReference.text)
    }

    @Test func declaresEachKeyOnceWithASentence() {
        #expect(Set(Self.paths).count == Self.paths.count)
        for key in ProfileKeys.all {
            #expect(key.meaning.hasSuffix(".") && key.meaning.first?.isUppercase == true, "\(key.path)")
            #expect(![key.meaning, key.type, key.example, key.usual ?? ""].joined().contains { $0 == "|" || $0.isNewline }, "\(key.path)")
            #expect(key.usual?.isEmpty == false, "\(key.path)")
        }
    }

    /// The control of the tests below.
    @Test func profilesWithEveryTableHaveNoMistakes() {
        #expect(ProfilePart.wholes.count == 4)
        for whole in ProfilePart.wholes { #expect(ProfilePart.read(whole).mistakes.isEmpty) }
    }

    @Test(arguments: paths) func exampleIsAccepted(path: String) throws {
        let key = try declaration(path)
        var mistakes: [Mistake] = []
        for whole in ProfilePart.wholes {
            for place in ProfilePart.places(of: path) {
                let changed = try #require(ProfilePart.changed(whole, place, to: key.example))
                let found = ProfilePart.read(changed).mistakes
                if found.isEmpty { return }
                mistakes += found
            }
        }
        Issue.record("\(path): \(key.example): \(mistakes)")
    }

    /// Keys that take any value, or whose expected values depend on the profile, or that the library reads.
    private static let special: Set<String> = [
        "extends", "auth.login.json", "auth.refresh.json", "auth.logout.json", "auth.logout.json_all", "routes.NAME.json",
        "routes.NAME.reasons.fix",
    ]

    private static let ordinary = paths.filter { !special.contains($0) }

    @Test(arguments: ordinary) func typeIsWhatAMistakeSaysIsExpected(path: String) throws {
        let key = try declaration(path)
        var mistakes: [Mistake] = []
        for whole in ProfilePart.wholes {
            for place in ProfilePart.places(of: path) {
                let changed = try #require(ProfilePart.changed(whole, place, to: "[[]]"))
                // Without the indices of lists.
                let found = ProfilePart.read(changed).mistakes.filter { $0.key.replacing(".0", with: "") == place }
                if found.contains(where: { Self.hasType(key, $0) }) { return }
                mistakes += found
            }
        }
        Issue.record("\(path): \(key.type): \(mistakes)")
    }

    /// True if the mistake has the words of the type. Those of an item may lack the list; those of a number have the unit too.
    private static func hasType(_ key: DeclaredKey, _ mistake: Mistake) -> Bool {
        let expected = key.unit.isEmpty ? mistake.expected : mistake.expected.replacing(" of \(key.unit)", with: "")
        guard mistake.key.hasSuffix(".0") else { return key.type == expected }
        return key.type.contains("list") && (key.type == expected || key.type.hasPrefix("\(expected), or a list of"))
    }

    /// The control of the comparison.
    @Test(arguments: [
        ("text", "key", "text", true), ("text, or a list of texts", "key.0", "text", true),
        ("text, or a list of texts", "key", "text", false), ("text", "key.0", "text", false),
        ("text, or a list of them", "key", "text, or a list of them", true), ("text, or none", "key", "text", false),
        ("a number from 1 to 2", "key", "a number of seconds from 1 to 2", true),
        ("a number from 1 to 2", "key", "a number of seconds from 1 to 20", false),
    ])
    func comparisonFindsAnotherType(type: String, key: String, expected: String, isSame: Bool) {
        let declared = DeclaredKey(path: "key", type: type, example: "", meaning: "").counted(in: "seconds")
        #expect(Self.hasType(declared, Mistake(file: "p.yaml", key: key, expected: expected)) == isSame)
    }

    /// Wherever its table is, a required key must be there; any other key can be absent from one of the tables.
    @Test(arguments: paths) func onlyRequiredKeysMustBeThere(path: String) throws {
        let key = try declaration(path)
        let rest = ProfilePart.wholes.flatMap { whole in
            ProfilePart.places(of: path).compactMap { ProfilePart.without($0, in: whole) }
        }
        #expect(!rest.isEmpty)
        let canBeAbsent = rest.contains { ProfilePart.read($0).mistakes.isEmpty }
        #expect(canBeAbsent == (key.usual != "required"), "\(path)")
    }

    /// The default, if it is a value.
    private static func value(_ key: DeclaredKey) -> String? {
        guard let usual = key.usual, usual.hasPrefix("`"), usual.hasSuffix("`"), usual.count(where: { $0 == "`" }) == 2 else { return nil }
        return String(usual.dropFirst().dropLast())
    }

    private static let withValues = ProfileKeys.all.filter { value($0) != nil }.map(\.path)

    @Test(arguments: withValues) func defaultIsThatOfAnAbsentKey(path: String) throws {
        let key = try declaration(path)
        let value = try #require(Self.value(key))
        #expect(key.example != value)
        for whole in ProfilePart.wholes {
            for place in ProfilePart.places(of: path) {
                guard let rest = ProfilePart.without(place, in: whole), let changed = ProfilePart.changed(rest, place, to: value) else {
                    continue
                }
                let (absent, present) = (ProfilePart.read(rest), ProfilePart.read(changed))
                guard absent.mistakes.isEmpty, present.mistakes.isEmpty else { continue }
                let (before, after) = try (Self.state(absent.profile), Self.state(present.profile))
                #expect(before == after, "\(path)")
                // The control: the example changes the profile.
                let other = try #require(ProfilePart.changed(whole, place, to: key.example))
                let shown = try Self.state(ProfilePart.read(other).profile)
                #expect(before != shown, "\(path)")
                return
            }
        }
        Issue.record("\(path): no profile shows the default")
    }

    private static func state(_ profile: Profile?) throws -> String {
        let profile = try #require(profile)
        var text = ""
        dump(profile.auth, to: &text)
        dump(profile.idempotency, to: &text)
        for route in profile.routes.values.sorted(by: { $0.name < $1.name }) { dump(route, to: &text) }
        for resource in profile.resources { dump(resource.maxAge, to: &text) }
        return text
    }
}
