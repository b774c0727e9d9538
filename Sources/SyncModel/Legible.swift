extension Unicode.Scalar {
    /// True for control characters, line separators and bidirectional controls, which can disguise a name (Unicode TR 36).
    package var isSteering: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value) || [0x200E, 0x200F, 0x061C].contains(value)
        default: false
        }
    }
}

extension String {
    /// True without a visible character: empty, or only white space, control characters and invisible format characters.
    package var isInvisible: Bool {
        unicodeScalars.allSatisfy { scalar in
            let properties = scalar.properties
            return properties.isWhitespace || properties.isDefaultIgnorableCodePoint
                || [.control, .format].contains(properties.generalCategory)
        }
    }

    /// One line, with such characters escaped, e.g. `\u{1B}`.
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
