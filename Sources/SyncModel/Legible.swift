extension Unicode.Scalar {
    /// Whether it is there to steer whatever shows it, and not to be seen: control characters, line separators, and what turns the direction
    /// of writing round, behind which a name ends otherwise than it seems to (Unicode TR 36).
    package var isSteering: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value) || [0x200E, 0x200F, 0x061C].contains(value)
        default: false
        }
    }
}

extension String {
    /// The text on one line, with what would steer a terminal or a reader's eye written out, as `\u{1B}`.
    package var legible: String {
        guard unicodeScalars.contains(where: \.isSteering) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            if scalar.isSteering {
                text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
