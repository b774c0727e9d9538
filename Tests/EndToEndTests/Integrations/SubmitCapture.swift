import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// Submits one capture; returns once it is stored.
func submitCapture(_ document: Data, user: Int, id: UUID, socket: String = "/run/homing/homing.sock") async throws {
    let host = socket.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    var request = HTTPClientRequest(
        url: "http+unix://\(host)/v1/entries?backend=breathesafe&route=measurement&item.user_id=\(user)&id=\(id.uuidString.lowercased())")
    request.method = .POST
    request.headers.add(name: "Host", value: "homing")
    request.headers.add(name: "Content-Type", value: "application/json")
    request.body = .bytes(ByteBuffer(bytes: document))
    let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
    let body = try await answer.body.collect(upTo: 1 << 20)
    // A 200 with a warning is for an entry that is being discarded.
    let isKept = answer.status == .ok && !String(buffer: body).contains(#""warning":"#)
    guard answer.status == .created || isKept else { throw CaptureRefused(answer: Data(body.readableBytesView)) }
}

/// The daemon's response, mostly application/problem+json.
struct CaptureRefused: Error { let answer: Data }
