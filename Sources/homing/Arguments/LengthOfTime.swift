import ArgumentParser
import Foundation

/// A duration such as `90s`, `30m`, `2h`, `3d` or `1h30m`.
struct LengthOfTime: Equatable {
    let seconds: TimeInterval

    /// Throws an error that names the form, for a command line.
    static func parse(_ argument: String) throws -> LengthOfTime {
        guard let length = LengthOfTime(argument: argument) else {
            throw ValidationError("expected a duration such as 90s, 30m, 2h, 3d or 1h30m, of at most ten years.")
        }
        return length
    }

    /// Nil for other text, for zero, and above ten years.
    init?(argument: String) {
        var total = 0.0
        var digits = ""
        for character in argument.lowercased() {
            if character.isASCII, character.isNumber {
                digits.append(character)
            } else if let unit = Self.units[character], let number = Double(digits) {
                total += number * unit
                digits = ""
            } else {
                return nil
            }
        }
        guard digits.isEmpty, total > 0, total <= 3653 * 86_400 else { return nil }
        seconds = total
    }

    private static let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400]
}
