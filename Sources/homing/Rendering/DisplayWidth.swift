/// Terminal columns: 2 for a wide character, 0 for a combining one.
extension Character {
    var columns: Int {
        // The properties of a scalar take long to look up.
        if isASCII { return 1 }
        guard let first = unicodeScalars.first else { return 0 }
        if first.properties.generalCategory == .nonspacingMark || first.properties.generalCategory == .format { return 0 }
        // Emoji are wide: by default, or with the emoji variation selector.
        if first.properties.isEmojiPresentation || unicodeScalars.contains("\u{FE0F}") { return 2 }
        return Self.wide.contains { $0.contains(first.value) } ? 2 : 1
    }

    /// East Asian Wide and Fullwidth (UAX #11), by block.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF, 0xA960...0xA97F,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,
        0x20000...0x3FFFD,
    ]
}

extension String {
    var columns: Int { reduce(0) { $0 + $1.columns } }

    /// Cut to `width` columns; a cut text ends with `…`.
    func cut(toColumns width: Int) -> String {
        guard columns > width else { return self }
        var (cut, taken) = ("", 0)
        for character in self {
            taken += character.columns
            if taken > width - 1 { break }
            cut.append(character)
        }
        return width > 0 ? cut + "…" : ""
    }

    /// Cuts the text but keeps an id at the end: `Anna Exa… (28)`.
    func cutBeforeID(toColumns width: Int) -> String {
        guard columns > width, let id = firstMatch(of: /[ ]\([^() ]+\)$/)?.output, String(id).columns + 2 <= width else {
            return cut(toColumns: width)
        }
        return String(dropLast(id.count)).cut(toColumns: width - String(id).columns) + id
    }

    func padded(toColumns width: Int) -> String { self + String(repeating: " ", count: max(0, width - columns)) }

    /// The text, wrapped at spaces. A command and a longer word in ASCII stay whole, so that people can copy them. A command stands between ‘
    /// and ’, follows “run:”, or is a line of its own. Other longer words are broken between characters.
    func wrapped(toColumns width: Int) -> [String] {
        var lines: [String] = []
        for word in matches(of: Self.unbroken).flatMap({ String($0.output).broken(toColumns: width) }) {
            if let last = lines.last, last.columns + 1 + word.columns <= width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(word)
            }
        }
        return lines
    }

    private static var unbroken: Regex<Substring> { /^(?:sudo|homing|homingd|systemctl) .+|runs?: .+|[^ ‘]*‘[^‘’]*’[^ ]*|[^ ]+/ }

    private func broken(toColumns width: Int) -> [String] {
        if columns <= width || contains(" ") || contains("‘") || utf8.allSatisfy({ $0 < 0x80 }) { return [self] }
        return pieces(ofColumns: width)
    }

    /// Pieces of at most `width` columns, or of one character that is wider.
    func pieces(ofColumns width: Int) -> [String] {
        var (pieces, taken) = ([""], 0)
        for character in self {
            if taken > 0, taken + character.columns > width {
                pieces.append("")
                taken = 0
            }
            pieces[pieces.count - 1].append(character)
            taken += character.columns
        }
        return pieces
    }
}
