import ControlAPI
import Foundation
import SyncModel

/// The daemon writes its sentences in English. In another language the page writes them, from the values that the daemon states.
extension Desk {
    /// The text of a key with the values of the facts; nil if the catalogue lacks it. General words stand for values that the daemon does
    /// not state.
    func text(_ key: String, _ facts: SentenceFacts = SentenceFacts(), at backend: String? = nil) -> HTML? {
        let number = facts.count.map { facts.least == true ? words["told.least", ["n": words.number($0)]] : words.number($0) }
        /// A general word, also at the beginning of the text.
        func general(_ word: String, for name: String) -> String {
            words.known(key)?.hasPrefix("{\(name)}") == true ? words[word].capitalisedFirst : words[word]
        }
        func value(_ name: String) -> String? {
            switch name {
            case "n": number ?? "0"
            case "limit": facts.limit.map(words.number) ?? ""
            case "size": facts.bytes.map { "\($0 >> 20) MiB" } ?? ""
            case "status": facts.status.map { "\($0)" } ?? ""
            case "backend": backend ?? general("told.server", for: name)
            case "account": facts.account ?? general("told.account", for: name)
            case "person": facts.person ?? general("told.someone", for: name)
            case "entry": facts.entry.map(EntryName.short) ?? ""
            case "address": facts.address ?? ""
            case "path": facts.path ?? ""
            case "reason": reason(facts.reason)
            case "unsure": unsure(facts)
            case "wait": facts.wait.map { words.span(max(1, ($0 + 59) / 60), of: "min") } ?? ""
            case "time": facts.at.map(clock) ?? ""
            case "since": facts.since.map(clock) ?? ""
            case "until": facts.until.map(clock) ?? ""
            default: nil
            }
        }
        return words.markup(key) { name in
            switch name {
            case "name": named(facts) ?? HTML.plain(general("told.row", for: name))
            case "words": quoted(facts.words) ?? HTML.plain("")
            case "kind": facts.title.map(kind) ?? facts.name.map(foreign) ?? HTML.plain(words["told.kind"])
            default: value(name).map(HTML.plain)
            }
        }
    }

    /// The list or the row that a sentence names.
    private func named(_ facts: SentenceFacts) -> HTML? {
        if let title = facts.title { return foreign(title.many) }
        return (facts.subject.map { words.name($0) } ?? facts.name).map(HTML.plain)
    }

    /// Why a backend cannot be used, for use within a sentence.
    func reason(_ reason: String?) -> String { words.known("cause.\(reason ?? "")") ?? words["cause.other"] }

    /// Why the outcome of the last send is unknown.
    private func unsure(_ facts: SentenceFacts) -> String {
        let backend = words["told.server"]
        switch (facts.reason.flatMap(Failure.Reason.init), facts.status) {
        case (.serverError, let status?), (.throttled, let status?):
            return words["told.unsure.status", ["backend": backend, "status": "\(status)"]]
        case (.intercepted, _): return words["told.unsure.intercepted"]
        case (.restored, _): return words["told.unsure.restored"]
        default: return words["told.unsure"]
        }
    }

    /// Words of a server, a profile or a person, as they are.
    func quoted(_ text: String?) -> HTML? { text.map { "<q>\(HTML.outside($0))</q>" } }

    /// What a message about an answer says: the daemon's message in English, and otherwise the server's own words, or the status. Nil
    /// without an answer.
    func answer(_ message: String, status: Int?, at backend: String) -> HTML? {
        guard !words.isEnglish else { return said(message) }
        if let own = Failure.serverWords(in: message, of: backend) { return quoted(own) }
        return status.map { .outside(words["told.status", ["status": "\($0)"]]) }
    }

    /// One paragraph of sentences in the language of the page.
    func told(_ sentences: [HTML?]) -> HTML { "<bdi>\(joined(sentences))</bdi>" }

    /// With spaces between them.
    func joined(_ sentences: [HTML?]) -> HTML {
        let parts: [HTML] = sentences.compactMap(\.self).filter { !$0.source.isEmpty }
        let rest: [HTML] = parts.dropFirst().map { " \($0)" }
        return "\(parts.first)\(rest)"
    }
}
