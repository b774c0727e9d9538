import Foundation
import SyncModel

extension JSONSyntax {
    /// True for the beginning of an object without its end. For text that is no valid JSON.
    package static func endsInsideObject(_ text: Data) -> Bool {
        var (depth, isString, isEscaped) = (0, false, false)
        for byte in text.withoutByteOrderMark {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isString: isEscaped = true
            case UInt8(ascii: "\""): isString.toggle()
            case _ where isString: break
            case UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): break
            default: if depth == 0 { return false }
            }
        }
        return depth > 0
    }
}
