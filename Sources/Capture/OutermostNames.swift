import Foundation
import SyncModel

/// The names that the outermost object of a JSON document has, each as often as it stands there; a reader of JSON keeps one of them.
struct OutermostNames {
    private var counts: [String: Int] = [:]

    /// - Parameter document: an object, well formed, in UTF-8.
    init(of document: Data) {
        document.withUnsafeBytes { bytes in
            var depth = 0
            var index = bytes.startIndex
            /// The last text at the outermost level: a name, if a colon comes next.
            var text: Range<Int>?
            while index < bytes.endIndex {
                switch bytes[index] {
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
                case UInt8(ascii: ":"):
                    if depth == 1, let name = text.flatMap({ JSONValue(parsing: Data(bytes[$0]))?.string }) {
                        counts[name, default: 0] += 1
                    }
                case UInt8(ascii: "\""):
                    let start = index
                    index += 1
                    while index < bytes.endIndex, bytes[index] != UInt8(ascii: "\"") { index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1 }
                    if depth == 1, index < bytes.endIndex { text = start..<index + 1 }
                default: break
                }
                index += 1
            }
        }
    }

    func count(of name: String) -> Int { counts[name] ?? 0 }
}
