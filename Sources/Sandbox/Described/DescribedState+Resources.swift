import Foundation

extension DescribedState {
    /// The rows, the same for every account, with an ETag. A value is the name of its member and the row's number. `parent` is the parent's
    /// row, which has rows of its own.
    func list(_ call: DescribedCall, of parent: String?, _ request: SandboxRequest) throws(Refusal) -> SandboxReply {
        var first = 0
        if let parent {
            guard let number = number(of: parent), number > 0 else { throw refusal(404, for: request) }
            first = (number - 1) * differing.rows
        }
        let numbers = page(of: (0..<differing.rows).map { first + $0 + 1 }, call, request)
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
