/// Parses a form body with Rails' nested names, `user[email]=...`.
enum FormBody {
    static func read(_ text: String) -> JSONObject {
        var object = JSON.object([:])
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(decoded)
            let names = parts[0].split(separator: "[").map { $0.hasSuffix("]") ? String($0.dropLast()) : String($0) }
            object = setting(object, names[...], to: .string(parts.count > 1 ? parts[1] : ""))
        }
        return object.members ?? [:]
    }

    private static func setting(_ value: JSON, _ names: ArraySlice<String>, to leaf: JSON) -> JSON {
        guard let name = names.first else { return leaf }
        var object = value.members ?? [:]
        object[name] = setting(object[name] ?? .null, names.dropFirst(), to: leaf)
        return .object(object)
    }

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
