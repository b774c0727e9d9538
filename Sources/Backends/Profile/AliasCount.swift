/// Counts aliases before parsing: Yams would expand them, and a dozen nested ones would never end.
enum AliasCount {
    private static let most = 8

    static func isTooHigh(in text: String) -> Bool {
        var count = 0
        for line in text.utf8.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            if line.first(where: { $0 != UInt8(ascii: " ") }) == UInt8(ascii: "#") { continue }
            count += aliases(in: line)
            if count > most { return true }
        }
        return false
    }

    /// Asterisks at the start of a value, followed by a name.
    private static func aliases(in line: Substring.UTF8View) -> Int {
        var (count, before, isBegun) = (0, UInt8(ascii: " "), false)
        for byte in line {
            let isName =
                byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z") || (0x30...0x39).contains(byte)
                || "-_".utf8.contains(byte)
            if isBegun, isName { count += 1 }
            isBegun = byte == UInt8(ascii: "*") && " \t[{,:?-".utf8.contains(before)
            before = byte
        }
        return count
    }
}
