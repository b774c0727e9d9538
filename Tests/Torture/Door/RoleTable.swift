import Backends
import ControlAPI
import Foundation
import StationSupport

/// The role that each operation requires, from the OpenAPI description.
struct RoleTable {
    struct Operation {
        let method: String
        let path: String
        let role: Access
    }

    let operations: [Operation]

    init(_ yaml: String) throws {
        let mistakes = MistakeCollector()
        guard let root = YAMLNode.parse(yaml, file: "openapi.yaml", mistakes: mistakes), case .table(let paths) = root["paths"]?.content
        else {
            throw StationError("the OpenAPI description cannot be read: \(mistakes.all)")
        }
        operations = try paths.flatMap { path in
            guard case .table(let methods) = path.value.content else { return [Operation]() }
            return try methods.map { method in
                let role = Access.allCases.first { "\($0)" == method.value["x-required-role"]?.text }
                guard let role else { throw StationError("\(method.key) \(path.key) has no role in the OpenAPI description") }
                return Operation(method: method.key.uppercased(), path: path.key, role: role)
            }
        }
    }

    var markdown: String {
        let head = "| call | \(Access.allCases.map { "\($0)" }.joined(separator: " | ")) | no role |"
        let rule = "|---|\(String(repeating: "---|", count: Access.allCases.count + 1))"
        let rows = operations.map { operation in
            "| \(operation.method) \(operation.path) | "
                + Access.allCases.map { $0 >= operation.role ? "yes" : "403" }.joined(separator: " | ") + " | 403 |"
        }
        return ([head, rule] + rows).joined(separator: "\n")
    }
}

extension YAMLNode {
    fileprivate subscript(key: String) -> YAMLNode? {
        guard case .table(let members) = content else { return nil }
        return members.first { $0.key == key }?.value
    }
}
