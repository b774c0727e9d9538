import AsyncHTTPClient
import ControlAPI
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport
import Testing
import Yams

/// Compares the OpenAPI file with the wire types, in both directions.
@Suite struct ContractTests {
    private let description: Description

    init() throws { description = try Description() }

    @Test func operationsHaveDifferentNames() {
        #expect(Set(description.operations.map(\.name)).count == description.operations.count)
    }

    @Test func referencesResolveAndEverySchemaIsUsed() {
        let references = Set(description.references())
        for reference in references { #expect(description.resolved(["$ref": Node(reference)])["$ref"] == nil, "\(reference)") }
        for name in description.schemas.keys { #expect(references.contains("#/components/schemas/\(name.string ?? "")")) }
    }

    @Test func schemasMatchWireTypes() {
        #expect(Set(description.schemas.keys.compactMap(\.string)) == Set(WireSamples.all.keys))
        #expect(Set(description.operations.map(\.name)) == Set(WireSamples.requests.keys))
    }

    /// The required keys are those that are always present.
    @Test(arguments: WireSamples.all.keys.sorted()) func schemaHasKeysOfItsType(name: String) throws {
        let sample = try #require(WireSamples.all[name])
        let schema = try #require(description.schemas[Node(name)])
        #expect(String(describing: type(of: sample.full)) == name)
        for child in Mirror(reflecting: sample.full).children { #expect(!Self.isNil(child.value), "\(child.label ?? "") is not set") }
        let (full, bare) = (try Self.tree(sample.full), try Self.tree(sample.bare))
        #expect(Set((schema["properties"]?.mapping ?? [:]).keys.compactMap(\.string)) == Set(full.keys))
        #expect(Set(description.texts(schema["required"])) == Set(bare.keys))
        expect(full, fits: schema, at: name)
        expect(bare, fits: schema, at: name)
        #expect(Mirror(reflecting: sample.bare).children.count { Self.isNil($0.value) } == full.count - bare.count)
    }

    @Test(arguments: WireSamples.requests.keys.sorted()) func operationHasParametersOfItsRequest(name: String) throws {
        let operation = try #require(description.operations.first { $0.name == name })
        let request = try #require(WireSamples.requests[name])
        let parameters = (operation.node["parameters"]?.sequence ?? []).map(description.resolved)
        // `fields` stands for the parameters `item.…`.
        let described = parameters.compactMap { $0["name"]?.string }.map { $0 == "fields" ? "item.user_id" : $0 }
        #expect(described.sorted() == request.parameters.keys.sorted())
        for parameter in parameters {
            let isInPath = operation.path.contains("{\(parameter["name"]?.string ?? "")}")
            #expect((parameter["in"]?.string == "path") == isInPath)
            #expect(!isInPath || parameter["required"]?.bool == true)
        }
        #expect((operation.node["requestBody"] != nil) == (request.body != nil))
    }

    @Test func problemCodesMatchSource() throws {
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources/ControlAPI/Problem.swift")
        let text = try String(contentsOf: source, encoding: .utf8)
        let codes = text.matches(of: /= Code\("([a-z-]+)"\)/).map { String($0.output.1) }
        let described = description.texts(description.schemas["Problem"]?["properties"]?["code"]?["x-extensible-enum"])
        #expect(described.count > 10)
        #expect(Set(codes) == Set(described).union(["daemon-not-running", "timeout"]))
    }

    @Test func servesDescriptionUnchanged() async throws {
        try await Served.with(FakeService()) { served in
            let response = try await served.send(.GET, "/v1/openapi.yaml")
            #expect(response.headers.first(name: "content-type") == "application/yaml")
            #expect(Array(buffer: try await response.body.collect(upTo: 1 << 20)) == InterfaceDescription.yaml)
        }
    }

    // MARK: Comparison

    private enum Value: Decodable {
        case object([String: Value])
        case array([Value])
        case string(String)
        case bool(Bool)
        case number(Double)

        init(from decoder: any Decoder) throws {
            let one = try decoder.singleValueContainer()
            // `try?`: each tests for one type.
            if let object = try? one.decode([String: Value].self) {
                self = .object(object)
            } else if let array = try? one.decode([Value].self) {
                self = .array(array)
            } else if let flag = try? one.decode(Bool.self) {
                self = .bool(flag)
            } else if let number = try? one.decode(Double.self) {
                self = .number(number)
            } else {
                self = .string(try one.decode(String.self))
            }
        }
    }

    private static func tree(_ value: any Encodable) throws -> [String: Value] {
        try JSONCoding.decoder.decode([String: Value].self, from: JSONCoding.encoded(value))
    }

    private static func isNil(_ value: Any) -> Bool {
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .optional && mirror.children.isEmpty
    }

    private func expect(_ object: [String: Value], fits schema: Node, at place: String) {
        for required in description.texts(schema["required"]) { #expect(object[required] != nil, "\(place).\(required)") }
        for (key, value) in object {
            guard let property = schema["properties"]?[key] ?? schema["additionalProperties"] else {
                Issue.record("\(place).\(key) is not described")
                continue
            }
            expect(value, fits: description.resolved(property), at: "\(place).\(key)")
        }
    }

    private func expect(_ value: Value, fits schema: Node, at place: String) {
        let type = schema["type"]?.string
        switch value {
        case .object(let object):
            #expect(type == "object", "\(place)")
            expect(object, fits: schema, at: place)
        case .array(let items):
            #expect(type == "array", "\(place)")
            for item in items { expect(item, fits: description.resolved(schema["items"] ?? [:]), at: "\(place)[]") }
        case .bool: #expect(type == "boolean", "\(place)")
        case .number: #expect(type == "integer", "\(place)")
        case .string(let text):
            #expect(type == "string", "\(place)")
            // Times are detected by their form, independently of the decoder.
            let isTime = text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil
            #expect((schema["format"]?.string == "date-time") == isTime, "\(place)")
        }
    }
}
