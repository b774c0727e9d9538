extension JSONValue {
    /// The digits of a whole number: `129`, also for `129.0` and `1.29e2`. Exact at any length; nil for other values, and beyond
    /// `mostWholeDigits`.
    package var wholeDigits: String? {
        switch self {
        case .int(let whole): String(whole)
        case .number(let text): Self.wholeDigits(of: text)
        case .string, .bool, .null, .array, .object: nil
        }
    }

    private static let mostWholeDigits = 100
    private static let mostExponent = 1_000_000

    /// - Parameter number: as in RFC 8259 6.
    private static func wholeDigits(of number: String) -> String? {
        let parts = number.drop { $0 == "-" }.split(omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
        let exponent = parts.count < 2 ? 0 : Int(parts[1]) ?? Int.max
        // No number that is written out is larger, and no sum below overflows.
        guard (-mostExponent...mostExponent).contains(exponent) else { return nil }
        let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let fraction = mantissa.count > 1 ? mantissa[1] : ""
        var digits = "\(mantissa[0])\(fraction)".drop { $0 == "0" }
        if digits.isEmpty { return "0" }
        var zeros = exponent - fraction.count
        while digits.last == "0" {
            digits.removeLast()
            zeros += 1
        }
        guard zeros >= 0, digits.count + zeros <= mostWholeDigits else { return nil }
        return "\(number.hasPrefix("-") ? "-" : "")\(digits)\(String(repeating: "0", count: zeros))"
    }
}
