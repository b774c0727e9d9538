import Backends
import ControlAPI
import Foundation
import Outbox
import SyncModel

/// Compares a submitted id with the account's stored list, and with accepted deletions. Pure.
struct Advice {
    /// The row, with its label if the list has it.
    var subject: SubjectReport
    /// False for a row in a further field of the route.
    var isSubject = true
    /// How sentences name the submitted entry. Made only when it is needed, which is seldom.
    let kind: @Sendable () -> String
    /// The accepted entry that deletes the row; nil for none.
    var deletion: MutationID?
    let title: Resource.Title
    let maxAge: Duration
    /// Nil if the list was not read yet.
    var head: RosterHead?
    /// An entry has created the row since the list was read.
    var isNewerThanList = false
    var isSignedIn = true
    let moment: Moment

    enum Result: Equatable {
        case listed
        /// Another entry deletes it. A sentence.
        case deleted(String)
        /// The list is complete and current and lacks the id.
        case unlisted(String)
        /// The list cannot tell. The end of a sentence.
        case unchecked(String)
    }

    var result: Result {
        if deletion != nil {
            return .deleted("\(subject.text) will be deleted: the deletion was accepted before this \(kind()).")
        }
        // The list cannot have it yet.
        if subject.isNew == true || isNewerThanList { return .listed }
        guard isSignedIn else { return .unchecked("the session has ended") }
        guard let head else { return .unchecked("your \(title.many) have not been read yet") }
        // An old or incomplete list proves that the id existed, but not that it does not exist.
        if subject.label != nil { return .listed }
        if head.incomplete != nil { return .unchecked("the stored list of your \(title.many) is incomplete") }
        let age = moment.distance(head.readAt)
        if moment.now.timeIntervalSince(head.readAt) > maxAge.seconds {
            return .unchecked("your \(title.many) were last read \(age)")
        }
        return .unlisted("\(subject.id) is not one of your \(title.many), as of \(age).")
    }

    /// The warning for an accepted entry. `isStrict`: the caller wanted the check.
    func warning(isStrict: Bool) -> String? {
        switch result {
        case .listed: nil
        case .deleted(let sentence), .unlisted(let sentence): sentence
        case .unchecked(let why): isStrict ? "\(subject.id) was not checked, because \(why)." : nil
        }
    }
}

extension [Advice] {
    /// The row that the submission is about, for its receipt.
    var subject: SubjectReport? { first(where: \.isSubject)?.subject }

    /// The warnings for an accepted entry; nil without any.
    func warning(isStrict: Bool) -> String? {
        let warnings = compactMap { $0.warning(isStrict: isStrict) }
        return warnings.isEmpty ? nil : warnings.joined(separator: " ")
    }
}
