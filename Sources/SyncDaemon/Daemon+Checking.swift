import Backends
import Capture

extension Daemon {
    /// Checks that configuration and profiles fit together, in particular the drop folder's route.
    package static func check(_ configuration: Configuration, against backends: [Backend]) throws(Mistakes) {
        func mistake(_ key: String, _ found: String?, _ expected: String) -> Mistakes {
            let place = configuration.keyPlaces[key]
            let file = place?.file ?? configuration.file
            return Mistakes([Mistake(file: file, line: place?.line, key: key, found: found, expected: expected)])
        }
        guard !backends.isEmpty else { throw mistake("backends", configuration.backends, "a folder with at least one profile (*.yaml)") }
        let spool = configuration.spool
        guard spool.isEnabled else { return }
        let names = backends.map(\.name).joined(separator: ", ")
        guard let named = spool.backend else {
            if backends.count > 1 { throw mistake("spool.backend", nil, "one of \(names), because there is more than one") }
            return try check(spool.route, of: backends[0], mistake)
        }
        guard let backend = backends.first(where: { $0.name == named }) else {
            let fitting = backends.filter { !$0.routesForFiles.isEmpty }.map(\.name).joined(separator: ", ")
            let expected =
                fitting.isEmpty ? turnedOff(names) : "one of \(fitting); or ‘enabled: false’ instead if no files are dropped"
            throw mistake("spool.backend", named, expected)
        }
        try check(spool.route, of: backend, mistake)
    }

    private static func turnedOff(_ names: String) -> String {
        "‘enabled: false’ instead, because no route of \(names) takes dropped captures, which need {item.payload} in json, and {item.user_id}"
    }

    private static func check(_ route: String, of backend: Backend, _ mistake: (String, String?, String) -> Mistakes) throws(Mistakes) {
        let fitting = backend.routesForFiles
        guard !fitting.contains(route) else { return }
        let expected =
            fitting.isEmpty
            ? turnedOff(backend.name)
            : "a route of \(backend.name) that takes dropped files: \(fitting.joined(separator: ", "))"
        throw mistake("spool.route", route, expected)
    }
}
