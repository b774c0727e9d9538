import CResources
import ControlAPI
import Foundation
import SyncModel

/// The words of the page in one language, from a plain file: `key = text`, with `{name}` for a value, and a line for each plural form
/// (`key[one]`, `key[other]`) of the language.
struct Catalogue: Sendable {
    /// BCP 47.
    let language: String
    private let texts: [String: String]

    static let english = Catalogue("en", resource_english())
    static let vietnamese = Catalogue("vi", resource_vietnamese())
    static let all = [english, vietnamese]

    private init(_ language: String, _ file: CResource) {
        self.language = language
        texts = Self.texts(in: String(decoding: [UInt8](file), as: UTF8.self))
    }

    static func texts(in file: String) -> [String: String] {
        var texts: [String: String] = [:]
        for line in file.split(separator: "\n") where !line.hasPrefix("#") {
            guard let equals = line.firstRange(of: " = ") else { continue }
            texts[String(line[..<equals.lowerBound])] = String(line[equals.upperBound...])
        }
        return texts
    }

    var keys: Set<String> { Set(texts.keys) }
    var isEnglish: Bool { language == "en" }

    /// The language that a browser prefers, by the header Accept-Language.
    static func preferred(_ header: String?) -> Catalogue {
        let ranked = (header ?? "").split(separator: ",").enumerated().map { index, part in
            let pieces = part.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            let quality = pieces.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            return (tag: pieces.first?.lowercased() ?? "", quality: quality, index: index)
        }
        // RFC 9110 12.4.2: a language of quality 0 is not acceptable.
        let sorted = ranked.filter { $0.quality > 0 }.sorted { ($0.quality, -$0.index) > ($1.quality, -$1.index) }
        return sorted.lazy.compactMap { named(String($0.tag.prefix(2))) }.first ?? english
    }

    static func named(_ language: String) -> Catalogue? { all.first { $0.language == language } }

    /// The key itself if the catalogue lacks it, which a test excludes.
    subscript(_ key: String, _ values: KeyValuePairs<String, String> = [:]) -> String {
        Self.filled(texts[key] ?? texts["\(key)[other]"] ?? key, values)
    }

    /// In the plural form of `number`, which fills `{n}`.
    func count(_ key: String, _ number: Int, _ values: KeyValuePairs<String, String> = [:]) -> String {
        // CLDR: English has two forms, Vietnamese one.
        let form = isEnglish && number == 1 ? "one" : "other"
        let text = texts["\(key)[\(form)]"] ?? self[key]
        return Self.filled(text.replacing("{n}", with: self.number(number)), values)
    }

    /// Nil if the catalogue lacks the key.
    func known(_ key: String) -> String? { texts[key] }

    /// `5,000` in English, `5.000` in Vietnamese.
    func number(_ number: Int) -> String { isEnglish ? Words.number(number) : Words.number(number).replacing(",", with: ".") }

    /// Nil if the catalogue lacks the key.
    ///
    /// - Parameter value: of a name in braces; nil for an unknown one.
    func markup(_ key: String, _ value: (String) -> HTML?) -> HTML? {
        guard let text = texts[key] else { return nil }
        let parts: [HTML] = Self.parts(text).map { part in
            switch part {
            case .text(let own): "\(own)"
            case .value(let name): value(name) ?? "{\(name)}"
            }
        }
        return "\(parts)"
    }

    private static func filled(_ text: String, _ values: KeyValuePairs<String, String>) -> String {
        values.isEmpty ? text : filled(text) { name in values.first { $0.key == name }?.value }
    }

    private static func filled(_ text: String, _ value: (String) -> String?) -> String {
        parts(text).map { part in
            switch part {
            case .text(let text): text
            case .value(let name): value(name) ?? "{\(name)}"
            }
        }.joined()
    }

    private enum Part {
        case text(String)
        /// The name in braces.
        case value(String)
    }

    private static func parts(_ text: String) -> [Part] {
        var (parts, rest): ([Part], Substring) = ([], text[...])
        // From left to right, so that a value with braces is not filled again.
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            parts += [.text(String(rest[..<open])), .value(String(rest[rest.index(after: open)..<close]))]
            rest = rest[rest.index(after: close)...]
        }
        return parts + [.text(String(rest))]
    }
}

/// The vocabulary of entries. English comes from `Words`, as on the command line.
extension Catalogue {
    func state(_ state: String) -> String { isEnglish ? Words.state(state) : known("state.\(state)") ?? Words.state(state) }

    func state(of entry: EntrySummary) -> String {
        if isEnglish { return entry.stateWords }
        if let reason = entry.holdReason { return self["state.because", ["reason": known("hold.\(reason)") ?? Words.holdReason(reason)]] }
        guard entry.knownState == .dead else { return state(entry.state) }
        return entry.wasRefused ? self["state.refused"] : count("state.used", entry.attempts)
    }

    func verdict(_ verdict: String) -> String { isEnglish ? Words.verdict(verdict) : known("verdict.\(verdict)") ?? Words.verdict(verdict) }

    /// Why entries were refused, for use after their number.
    func refusal(_ reason: String) -> String { isEnglish ? Words.refusal(reason) : known("refusal.\(reason)") ?? Words.refusal(reason) }

    /// `2 h 5 min`.
    ///
    /// - Parameter ms: milliseconds.
    func length(_ ms: Int64) -> String {
        let length = Words.length(ms)
        guard !isEnglish else { return length }
        return length.replacing(".", with: ",").split(separator: " ").map { known("unit.\($0)") ?? String($0) }.joined(separator: " ")
    }

    /// `30 min`.
    ///
    /// - Parameter unit: as in `Words.length`.
    func span(_ count: Int, of unit: String) -> String {
        "\(number(count)) \(isEnglish ? unit : known("unit.\(unit)") ?? unit)"
    }

    /// `measurement of Anna Example (5)`.
    func name(_ entry: EntrySummary) -> String {
        var entry = entry
        entry.subject = entry.subject.map(shown)
        return isEnglish ? entry.words.capitalisedFirst : name(entry.kind, of: entry.subject)
    }

    /// `Measurement · Anna Example (5)`.
    func name(_ title: RosterTitle, of subject: SubjectReport?) -> String {
        [kind(title), subject.map { name($0) }].compactMap(\.self).joined(separator: " · ")
    }

    /// `Measurement`. The words of a profile stay as they are.
    func kind(_ title: RosterTitle) -> String {
        guard let key = key(of: title), let word = title.word else { return title.one.capitalisedFirst }
        return self[key, ["word": word]]
    }

    /// The key of the text for a kind; nil in English, for the words of a profile, and for a kind of a newer daemon.
    func key(of title: RosterTitle) -> String? {
        guard !isEnglish, let key = title.kind.map({ "kind.\($0)" }) else { return nil }
        return known(key) == nil ? nil : key
    }

    /// `Anna Example (5)`.
    func name(_ subject: SubjectReport) -> String {
        let subject = shown(subject)
        guard !isEnglish, subject.isNew == true, let label = subject.label else { return subject.text }
        return "\(label) (\(self["row.new"]))"
    }

    private func shown(_ subject: SubjectReport) -> SubjectReport {
        guard subject.label?.isInvisible == true else { return subject }
        var subject = subject
        subject.label = subject.isNew == true ? "\(self["nameless"]) @\(subject.id.suffix(12))" : self["nameless"]
        return subject
    }

    /// A name, or words for one that shows nothing. Its id must stand beside it.
    func visible(_ name: String) -> String { name.isInvisible ? self["nameless"] : name }

    func size(_ bytes: Int) -> String {
        let size = Words.size(bytes)
        return isEnglish ? size : size.replacing(".", with: ",").replacing(/(?:no )?bytes?/, with: "byte")
    }
}

extension String {
    /// Only spaces, and characters without a shape.
    fileprivate var isInvisible: Bool {
        unicodeScalars.allSatisfy { scalar in
            let properties = scalar.properties
            let hasNoShape = [.control, .format, .nonspacingMark].contains(properties.generalCategory)
            return hasNoShape || properties.isWhitespace || properties.isDefaultIgnorableCodePoint || scalar == "\u{2800}"
        }
    }
}
