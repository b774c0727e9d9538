import Backends
import SyncModel

extension [Backend] {
    /// The traits of a backend's route; nil if no profile has it.
    func traits(of backend: String, route: String) -> RouteTraits? {
        guard let backend = first(where: { $0.name == backend }), backend.routes.contains(route) else { return nil }
        return backend.traits(route: route)
    }
}
