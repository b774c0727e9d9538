import Backends
import ControlAPI
import ControlServer
import Sessions

extension ControlHandler {
    /// Without addresses, which may contain secrets.
    func backends(_ request: NoInput, by caller: Caller) async throws -> BackendList {
        let backends = keepers.values.map(\.backend).sorted { $0.name < $1.name }
        return BackendList(
            backends: backends.map { backend in
                BackendSummary(name: backend.name, routes: backend.routes.map { RouteSummary($0, of: backend) })
            })
    }
}

extension RouteSummary {
    fileprivate init(_ name: String, of backend: Backend) {
        let fields = backend.fields(route: name).map { FieldSummary(name: $0.name, type: $0.type, reference: $0.reference) }
        let then = backend.then(route: name)
        self.init(name: name, fields: fields, takesPayload: backend.takesPayload(route: name) || then != nil)
        (creates, changes) = (backend.creates(route: name), backend.changes(route: name))
        (deletes, confirm) = (backend.deletes(route: name), backend.needsConfirmation(route: name) ? true : nil)
        (self.then, form) = (then, backend.form(route: name))
    }
}
