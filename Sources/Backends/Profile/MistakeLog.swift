/// Collects mistakes while files are read, so that all are told at once.
package final class MistakeLog {
    package private(set) var all: [Mistake] = []

    package init() {}

    package func add(_ mistake: Mistake) { all.append(mistake) }

    /// Throws what was collected, if anything was.
    package func check() throws(Mistakes) {
        guard all.isEmpty else { throw Mistakes(all) }
    }
}
