import Foundation
import SyncModel

/// A sign-in of which the rest of the house has not been told. In the session's file until it has been.
package struct SignInNotice: Hashable, Sendable, Codable {
    /// As the rest of the house knows them.
    package let account: Account?
    /// Nil where the daemon itself signed them in, with their kept password.
    package let requester: Requester?
    package let at: Date
}

/// Tells the rest of the house of a sign-in; false where that has to be tried again. Doing it twice does no harm.
package typealias SignInTeller = @Sendable (SignInNotice) async -> Bool

extension SessionKeeper {
    /// From now on `teller` is told of every sign-in, and now of those of which nobody was told in an earlier run; nil for nobody any more.
    package func tellSignIns(to teller: SignInTeller?) async {
        self.teller = teller
        await tellSignIns()
    }

    func tellSignIns() async {
        guard let teller else { return }
        for notice in record.untold ?? [] {
            guard await teller(notice) else { continue }
            var next = record
            next.untold?.removeAll { $0 == notice }
            if next.untold?.isEmpty == true { next.untold = nil }
            // What cannot be stored is told once more at the next start.
            do { try commit(next) } catch { becomeUnsaved(next) }
        }
    }
}

extension SessionRecord {
    /// A sign-in has come of it, of which somebody has to be told.
    mutating func note(_ notice: SignInNotice) { untold = (untold ?? []) + [notice] }
}
