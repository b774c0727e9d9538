import ControlAPI
import Foundation
import SyncModel

extension Desk {
    /// A problem that needs a person.
    func told(_ item: Attention) -> HTML {
        guard !words.isEnglish, let sentences = sentences(of: item) else { return said(item.text) }
        return "\(told(sentences)) \(quoted(item.facts?.words))"
    }

    /// The next step for a problem. The commands are those of the terminal.
    func step(_ item: Attention) -> HTML {
        guard !words.isEnglish, let facts = facts(of: item), let step = text("need.\(item.code).step", facts, at: item.backend) else {
            return said(item.next)
        }
        return told([step, HTML.plain(words["told.terminal", ["command": "homing status"]])])
    }

    /// Nil for a problem that the catalogue does not know, or without its values.
    func sentences(of item: Attention) -> [HTML?]? {
        guard let facts = facts(of: item) else { return nil }
        func text(_ variant: String = "", if isTold: Bool = true) -> HTML? {
            isTold ? self.text("need.\(item.code)\(variant)", facts, at: item.backend) : nil
        }
        let hasEntries = facts.count ?? 0 > 0
        let main: HTML?
        // The refused one waits too.
        let waiting = item.knownCode == .routeFailing && facts.since == nil ? ".more" : ".waiting"
        switch (item.knownCode, facts.reason) {
        case (.diskFull, Attention.nothingLeft), (.unclaimedFiles, Attention.onHold), (.signInRequired, Attention.ended):
            main = text(".\(facts.reason ?? "")")
        case (.routeFailing, _): main = text(facts.since == nil ? ".one" : "")
        default: main = text()
        }
        guard let main else { return nil }
        let stuck = words.known("stuck.\(facts.reason ?? "")") ?? words["stuck.system"]
        let isFileNamed = item.knownCode == .unclaimedFiles && facts.path != nil
        return [
            main, text(".first", if: isFileNamed), text(".name", if: facts.name != nil), text(waiting, if: hasEntries),
            text(".least", if: facts.least == true), text(".until", if: facts.until != nil),
            item.knownCode == .stuckFiles ? HTML.plain(stuck) : nil,
        ]
    }

    /// Nil from a daemon that states none.
    private func facts(of item: Attention) -> SentenceFacts? {
        item.facts ?? ([.diskFull, .configurationRejected].contains(item.knownCode) ? SentenceFacts() : nil)
    }
}
