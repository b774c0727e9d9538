import Foundation

extension String {
    /// All but unreserved characters (RFC 3986 2.3).
    package var percentEncoded: String {
        if utf8.allSatisfy(\.isUnreserved) { return self }
        return utf8.map { $0.isUnreserved ? String(Unicode.Scalar($0)) : String(format: "%%%02X", $0) }.joined()
    }
}

extension UInt8 {
    fileprivate var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: false
        }
    }
}
