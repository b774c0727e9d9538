import Backends
import Testing

/// A mistake in the shipped profile: an edit, the key of the error, and part of the expectation.
struct WrongEdit: Sendable, CustomTestStringConvertible {
    let old: String
    let new: String
    let key: String
    let expected: String

    init(_ old: String, _ new: String, _ key: String, _ expected: String) {
        (self.old, self.new, self.key, self.expected) = (old, new, key, expected)
    }

    var testDescription: String { "\(key): \(new.prefix(60))" }

    /// At its key and line, and at most one other.
    func expectMistake() throws {
        let found = try mistakes(edited(old, new))
        let mistake = try #require(found.first { $0.key == key }, "\(found)")
        #expect(mistake.expected.contains(expected), "\(mistake)")
        #expect(mistake.file.hasSuffix("breathesafe.yaml"))
        #expect(mistake.line != nil)
        #expect(found.count <= 2, "one mistake sets off no avalanche: \(found)")
    }
}

/// The mistakes of a profile that must not load.
func mistakes(_ text: String, _ name: String = "breathesafe") throws -> [Mistake] {
    try #require(#expect(throws: Mistakes.self) { try load(["\(name).yaml": text]) }).all
}
