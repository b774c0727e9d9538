import Backends
import Testing

@testable import SyncDaemon

@Suite struct YAMLWritingTests {
    private func read(_ text: String) throws -> YAMLNode {
        let mistakes = MistakeCollector()
        let node = try #require(YAMLNode.parse(text, file: "file.yaml", mistakes: mistakes))
        #expect(mistakes.all.isEmpty)
        return node
    }

    @Test(arguments: [
        ("a: 1\n", "a: 1\n"), ("a: {b: {c: true, d: 2.5}}", "a:\n  b:\n    c: true\n    d: 2.5\n"), ("a: {}", "a: {}\n"),
        ("a: [x, 1, [y], {z: \"1\"}]", "a: [\"x\", 1, [\"y\"], {z: \"1\"}]\n"), ("\"on\": \"22:00-07:00\"", "on: \"22:00-07:00\"\n"),
        ("\"a b\": ~", "\"a b\": ~\n"), ("a:", "a: null\n"), ("a: 'it''s \\ \"x\"'", "a: \"it's \\\\ \\\"x\\\"\"\n"),
        ("a: \"l\\nm: 1\"", "a: \"l\\nm: 1\"\n"), ("a: /x/y", "a: \"/x/y\"\n"),
    ]) func writtenTextIsReadAsTheSameValues(text: String, written: String) throws {
        let node = try read(text)
        #expect(node.written() == written)
        #expect(try read(node.written()).written() == written)
    }
}
