import Backends
import Foundation
import JSON
import SyncModel

/// The addresses of an accepted profile, parsed independently, as a person reads them.
enum Destinations {
    static func problems(_ backend: Backend) -> [String] {
        var texts: [String] = []
        func collect(_ value: JSONValue) {
            switch value {
            case .string(let text): texts.append(text)
            case .array(let items): items.forEach(collect)
            case .object(let members): members.values.forEach(collect)
            default: break
            }
        }
        guard let document = JSONValue(parsing: backend.document) else { return ["its document is not JSON"] }
        collect(document)
        var addresses = texts.compactMap { text -> String? in
            let words = text.split(separator: " ")
            return words.count == 2 && words[0].allSatisfy(\.isLetter) && words[1].contains("://") ? String(words[1]) : nil
        }
        addresses.append(backend.baseURL)
        var problems = addresses.filter { !isPlain($0) }.map { "accepted the address \($0.debugDescription)" }
        if document["base_url"]?.string.map({ $0.hasPrefix(backend.baseURL) }) != true {
            problems.append("its base_url differs from the file")
        }
        return problems
    }

    /// True for `https` and a name of letters, digits, dots and hyphens, or `http` to this machine.
    static func isPlain(_ address: String) -> Bool {
        guard let end = address.range(of: "://") else { return false }
        let authority = address[end.upperBound...].prefix { !"/?#".contains($0) }
        let isBracketed = authority.hasPrefix("[")
        let host = isBracketed ? authority.prefix { $0 != "]" }.dropFirst() : authority.prefix { $0 != ":" }
        let port = authority.dropFirst(host.count + (isBracketed ? 2 : 0))
        let letters = isBracketed ? "0123456789abcdefABCDEF:." : "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_"
        guard !host.isEmpty, host.unicodeScalars.allSatisfy({ letters.unicodeScalars.contains($0) }),
            port.isEmpty || (port.first == ":" && port.dropFirst().utf8.allSatisfy { (0x30...0x39).contains($0) } && port.count <= 6),
            address.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7f })
        else { return false }
        switch address[..<end.lowerBound].lowercased() {
        case "https": return true
        case "http":
            return host.lowercased() == "localhost" || host == "::1"
                || (host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." })
        default: return false
        }
    }
}

enum Sayings {
    static func problems(_ mistakes: Mistakes) -> [String] {
        var problems: [String] = []
        if mistakes.all.isEmpty { problems.append("was refused without a message") }
        if mistakes.all.count > 2000 { problems.append("reported \(mistakes.all.count) mistakes") }
        for mistake in mistakes.all {
            let text = mistake.description
            if mistake.file.isEmpty || mistake.expected.isEmpty || (mistake.found ?? "-").isEmpty {
                problems.append("does not state the place, the expected value or the found value: \(text.debugDescription)")
            }
            if text.utf8.count > 2000 { problems.append("reported a mistake in \(text.utf8.count) bytes") }
            if let bad = text.unicodeScalars.first(where: { $0.properties.generalCategory == .control }) {
                problems.append("reported a mistake with the control character \(bad.value)")
            }
        }
        return Array(problems.prefix(3))
    }
}
