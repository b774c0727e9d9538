import Foundation

extension String {
    /// All but unreserved characters (RFC 3986 2.3).
    package var percentEncoded: String {
        utf8.map { byte in
            let scalar = Unicode.Scalar(byte)
            return byte < 0x80
                && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil || "-._~".unicodeScalars.contains(scalar))
                ? String(scalar) : String(format: "%%%02X", byte)
        }.joined()
    }
}
