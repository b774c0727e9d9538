import Backends
import Foundation
import SyncModel
import TestSupport

let shippedProfile: String = {
    let url = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../config/backends/breathesafe.yaml").standardized
    return (try? String(contentsOf: url, encoding: .utf8)) ?? ""
}()

/// Loads profiles by file name.
func load(_ files: [String: String]) throws -> [Backend] {
    let folder = try TemporaryDirectory()
    for (name, text) in files { try folder.write(text, to: name) }
    return try ProfileLibrary.load(directory: folder.path, deviceID: "device-1", version: "1.0")
}

/// The shipped profile with the first `old` replaced.
func edited(_ old: String, _ new: String) -> String {
    precondition(shippedProfile.contains(old), "the shipped profile does not contain \(old)")
    return shippedProfile.replacingCharacters(in: shippedProfile.range(of: old)!, with: new)
}

func breathesafe(_ old: String = "schema: 1", _ new: String = "schema: 1") throws -> Backend {
    try load(["breathesafe.yaml": edited(old, new)])[0]
}

let noon = Date(timeIntervalSince1970: 1_795_262_400)

func mutation(
    _ route: String = "measurement", fields: [String: JSONValue] = ["user_id": 5], payload: Data? = Data("{}".utf8),
    id: String = "0198c0de-0000-7000-8000-000000000001"
) -> Mutation {
    Mutation(
        id: MutationID(id)!, destination: Destination(backend: "breathesafe", account: "1"), lane: Lane("users/5"), route: route,
        fields: fields, payload: payload, capturedAt: noon)
}

func answer(_ status: Int, _ body: String = "", type: String = "application/json; charset=utf-8", _ headers: HeaderField...)
    -> InboundResponse
{
    InboundResponse(status: status, headers: [HeaderField("Content-Type", type)] + headers, body: Data(body.utf8))
}

func failure<E: Error, T>(_ body: () async throws(E) -> T) async -> E? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error
    }
}
