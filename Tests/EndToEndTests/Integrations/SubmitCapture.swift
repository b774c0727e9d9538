import AsyncHTTPClient
import Crypto
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
    let text = String(buffer: body)
    let digest = SHA256.hash(data: document).map { String(format: "%02x", $0) }.joined()
    // A 200 with a warning is for an entry that is being discarded.
    let isKept = answer.status == .created || answer.status == .ok && !text.contains(#""warning":"#)
    guard isKept, text.contains(#""sha256":"\#(digest)""#) else { throw CaptureRefused(answer: Data(text.utf8)) }
}

/// The daemon's response: mostly application/problem+json, or the receipt of other bytes.
struct CaptureRefused: Error { let answer: Data }
