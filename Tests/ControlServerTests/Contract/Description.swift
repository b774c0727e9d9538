import ControlAPI
import Foundation
import Testing
import Yams

struct Description {
    let root: Node

    init() throws {
        root = try #require(try compose(yaml: String(decoding: InterfaceDescription.yaml, as: UTF8.self)))
    }

    struct Operation {
        let method: String
        let path: String
        let node: Node
        var name: String { node["operationId"]?.string ?? "" }
    }

    var operations: [Operation] {
        (root["paths"]?.mapping ?? [:]).flatMap { path, item in
            (item.mapping ?? [:]).map { Operation(method: ($0.key.string ?? "").uppercased(), path: path.string ?? "", node: $0.value) }
        }
    }

    var schemas: Node.Mapping { root["components"]?["schemas"]?.mapping ?? [:] }

    /// The target of a `$ref`, or the node itself.
    func resolved(_ node: Node) -> Node {
        guard let reference = node["$ref"]?.string, reference.hasPrefix("#/") else { return node }
        var target: Node? = root
        for part in reference.dropFirst(2).split(separator: "/") { target = target?[String(part)] }
        return target ?? node
    }

    func texts(_ node: Node?) -> [String] { (node?.sequence ?? []).compactMap(\.string) }

    func references(in node: Node? = nil) -> [String] {
        switch node ?? root {
        case .mapping(let members):
            members.flatMap { key, value in key.string == "$ref" ? [value.string ?? ""] : references(in: value) }
        case .sequence(let items): items.flatMap { references(in: $0) }
        default: []
        }
    }
}
