import Foundation

extension DescribedState {
    /// The rows of a resource, the same for every account, with an ETag. The values are the names of their members and the row's number.
    func list(_ call: DescribedCall, _ request: SandboxRequest) -> StandInReply {
        let numbers = page(of: (0..<differing.rows).map { $0 + 1 }, call, request)
        let total = (pointer: call.table["pages"]?["total"]?.text, value: JSON.int(differing.rows))
        var reply = success(200, (call.table["list"]?.text, .array(numbers.map { row($0, call.table) })), total)
        reply.response = reply.response.conditional(on: request)
        return reply
    }

    private func row(_ number: Int, _ resource: JSON) -> JSON {
        var row = JSON.object([:])
        for pointer in Self.pointers(resource["keep"]) + Self.pointers(resource["label"]) {
            row.put(.string("\(pointer.split(separator: "/").last ?? "value") \(number)"), at: pointer)
        }
        row.put(id(number), at: resource["id"]?.text ?? "/id")
        return row
    }

    /// A pointer, or several.
    private static func pointers(_ value: JSON?) -> [String] { value?.elements?.compactMap(\.text) ?? [value?.text].compactMap(\.self) }
}
