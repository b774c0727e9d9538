import Backends
import ControlAPI
import Delivery
import Foundation
import SyncModel

extension Reasons {
    /// The profile’s words about the last answer to an entry.
    struct Meaning {
        let words: String
        let fix: RefusalReason.Fix?
        /// The name in messages of the row in the field to correct.
        let rowTitle: String?
    }

    /// The meaning of the last answer and the server's own words: each a sentence after a space, or nothing.
    func said(_ entry: Entry) -> String {
        [meaning?.words, entry.lastError].compactMap { $0.map { " \($0.asSentence)" } }.joined()
    }

    /// The profile's words about the last answer, and the server's own; nil for none.
    func quoted(_ entry: Entry) -> String? { quoted(entry.lastError, of: entry) }

    /// - Parameter message: about an answer to the entry.
    func quoted(_ message: String?, of entry: Entry) -> String? {
        let server = message.flatMap { Failure.serverWords(in: $0, of: entry.destination.backend) }
        let words = [meaning?.words.asSentence, server].compactMap(\.self)
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    /// The server's answer to an entry, and the time of the next try.
    struct Refusal: Equatable {
        let id: MutationID
        var sentence: String
    }

    /// The refusal as the profile explains it. `gate` cools only because of this entry.
    func refusal(of entry: Entry, behind gate: RouteGate) -> Refusal? {
        guard let meaning, entry.lastStatus == gate.failure.status else { return nil }
        let again =
            obstacles.pause != nil
            ? "tries again once sending resumes"
            : gate.until > moment.now ? "tries again at \(moment.text(gate.until))" : "is trying again"
        let fix = correcting(entry, EntryName.short("\(entry.id)")).map { "; ‘\($0.command)’ corrects it" } ?? ""
        return Refusal(id: entry.id, sentence: "\(meaning.words.asSentence) Homing \(again)\(fix).")
    }

    /// How to correct the entry, or why that is too late, after a line feed; or empty.
    func correction(_ entry: Entry) -> String {
        if let fix = correcting(entry, "\(entry.id)") { return "\nTo \(fix.purpose), run: \(fix.command)" }
        return tooLate(entry) ?? ""
    }

    /// The same, and how to discard the entry.
    func correctionOrDiscard(_ entry: Entry) -> String {
        correction(entry) + (tooLate(entry) == nil ? "\n\(discard(entry))" : "")
    }

    /// That a correction would overwrite a newer entry, and how to discard this one; nil if no newer entry is in the way.
    private func tooLate(_ entry: Entry) -> String? {
        guard let newer, !entry.mayHaveTakenEffect, meaning?.fix != nil, correcting(entry, "") == nil else { return nil }
        return "\nEntry \(newer) is newer, and a correction of this one would overwrite it. To see it, run: homing show \(newer)\n"
            + "To let the newer one win, \(destroying("homing discard \(entry.id)"))\n"
            + "If the older values still count, first submit them as a new change."
    }

    /// How to send the entry for another row; nil if it can have no other one.
    func redirecting(_ id: String, _ field: String, _ title: String) -> (purpose: String, command: String)? {
        guard canTakeAnotherRow else { return nil }
        let verb = route.changes ? "make this change" : "send it"
        return ("\(verb) for another \(title)", "homing fix \(id) \(Self.option(for: field))")
    }

    /// The command that corrects the entry; nil without one. An entry that may have taken effect must not change.
    private func correcting(_ entry: Entry, _ id: String) -> (purpose: String, command: String)? {
        guard !entry.mayHaveTakenEffect, let meaning, let fix = meaning.fix else { return nil }
        switch fix {
        case .field(let name):
            if let title = meaning.rowTitle { return redirecting(id, name, title) }
            guard overwritesNothing(with: name) else { return nil }
            return ("send it with another \(name)", "homing fix \(id) \(Self.option(for: name))")
        case .payload:
            guard newer == nil else { return nil }
            // A create has no field for the row that it makes.
            let row = entry.mutation.subject == nil && entry.mutation.creates != nil ? nil : subjectReport
            let items = fields.merging(row.map { [$0.field: $0.id] } ?? [:]) { $1 }
            return ("send a corrected document instead", commands.replacing(entry, fields: items))
        }
    }
}

extension Reasons.Meaning {
    /// Nil if the profile says nothing about the answer.
    init?(of entry: Entry, at backend: Backend?, for reasons: Reasons) {
        let named = reasons.subjectReport.map { [$0.field: $0.text] } ?? [:]
        guard let reason = backend?.reason(route: entry.route, status: entry.lastStatus, message: entry.lastError),
            let words = reason.sentence(fields: reasons.fields.merging(named) { $1 }, account: reasons.owner)
        else { return nil }
        let subject = backend?.subjectField(route: entry.route)
        let isSubject = subject.map { reason.fix == .field($0.field) } ?? false
        self.init(words: words, fix: reason.fix, rowTitle: isSubject ? subject?.resource.title.one : nil)
    }
}

extension NextCommands {
    /// For example `homing submit FILE --route fit_test --user 5 --supersedes ID`.
    fileprivate func replacing(_ entry: Entry, fields: [String: String]) -> String {
        let items = fields.sorted { $0.key < $1.key }.map { name, value in
            name == "user_id" ? "--user \(value.asArgument)" : "--item \("\(name)=\(value)".asArgument)"
        }
        return named((["homing submit FILE --route \(entry.route)"] + items + ["--supersedes \(entry.id)"]).joined(separator: " "))
    }
}
