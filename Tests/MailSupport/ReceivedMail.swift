/// A mail as a server got it.
package struct ReceivedMail: Sendable, Equatable {
    /// The command that named the sender.
    package var sender: String
    /// The commands that named the accepted recipients.
    package var recipients: [String] = []
    /// Without their ends and the dots that the protocol adds.
    package var lines: [String]

    package init(sender: String = "", lines: [String] = []) { (self.sender, self.lines) = (sender, lines) }

    /// The value of a header field on one line; nil without it.
    package func header(_ name: String) -> String? {
        let head = lines.prefix { !$0.isEmpty }
        guard let first = head.firstIndex(where: { $0.lowercased().hasPrefix(name.lowercased() + ": ") }) else { return nil }
        let further = head[(first + 1)...].prefix { $0.hasPrefix(" ") }
        return String(head[first].dropFirst(name.count + 2)) + further.joined()
    }

    /// The body, decoded from quoted-printable.
    package var text: String {
        var bytes: [UInt8] = []
        for line in lines.drop(while: { !$0.isEmpty }).dropFirst() {
            var rest = Array(line.utf8)[...]
            let isContinued = rest.last == UInt8(ascii: "=")
            if isContinued { rest.removeLast() }
            while let byte = rest.popFirst() {
                guard byte == UInt8(ascii: "=") else {
                    bytes.append(byte)
                    continue
                }
                bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
                rest = rest.dropFirst(2)
            }
            if !isContinued { bytes.append(UInt8(ascii: "\n")) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
