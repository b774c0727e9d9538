import SyncModel

/// Markup. Interpolated text is escaped; interpolated markup is not.
///
/// It escapes Unicode scalars, not characters: `"` with a combining accent is one character, but still ends an attribute.
struct HTML: ExpressibleByStringInterpolation, Sendable {
    let source: String

    init(stringLiteral source: String) { self.source = source }
    init(stringInterpolation: StringInterpolation) { source = stringInterpolation.source }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var source = ""

        init(literalCapacity: Int, interpolationCount: Int) { source.reserveCapacity(literalCapacity + 16 * interpolationCount) }
        mutating func appendLiteral(_ literal: String) { source += literal }
        mutating func appendInterpolation(_ text: String) { source += HTML.escaped(text) }
        mutating func appendInterpolation(_ number: some BinaryInteger) { source += String(number) }
        mutating func appendInterpolation(_ html: HTML) { source += html.source }
        mutating func appendInterpolation(_ html: HTML?) { source += html?.source ?? "" }
        mutating func appendInterpolation(_ parts: [HTML]) { for part in parts { source += part.source } }
    }

    /// Words of the catalogue.
    static func plain(_ text: String) -> HTML { "\(text)" }

    /// Text from outside. The direction of its writing stays within it.
    static func outside(_ text: String) -> HTML { "<bdi>\(text)</bdi>" }

    /// For text and for attributes in double quotes. Characters that can disguise a name become U+FFFD.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\n", "\t": escaped.unicodeScalars.append(scalar)
            default: escaped.unicodeScalars.append(scalar.isSteering ? "\u{FFFD}" : scalar)
            }
        }
        return escaped
    }
}
