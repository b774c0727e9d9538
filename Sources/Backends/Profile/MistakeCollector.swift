/// Collects mistakes, so that one pass reports all of them.
package final class MistakeCollector {
    package private(set) var all: [Mistake] = []

    package init() {}

    package func add(_ mistake: Mistake) { all.append(mistake) }

    /// - Parameters:
    ///   - line: the key's line, if it differs from the value's.
    ///   - found: nil for the value itself.
    func add(at node: YAMLNode, line: Int? = nil, key: String, found: String? = nil, expected: String) {
        add(Mistake(file: node.file, line: line ?? node.line, key: key, found: found ?? node.summary, expected: expected))
    }

    package func check() throws(Mistakes) {
        guard all.isEmpty else { throw Mistakes(all) }
    }
}
