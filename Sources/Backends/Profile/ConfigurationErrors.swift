package final class ConfigurationErrors {
    package private(set) var all: [ConfigurationError] = []

    package init() {}

    package func add(_ mistake: ConfigurationError) { all.append(mistake) }

    package func check() throws(Mistakes) {
        guard all.isEmpty else { throw Mistakes(all) }
    }
}
