package final class MistakeLog {
    package private(set) var all: [Mistake] = []

    package init() {}

    package func add(_ mistake: Mistake) { all.append(mistake) }

    package func check() throws(Mistakes) {
        guard all.isEmpty else { throw Mistakes(all) }
    }
}
