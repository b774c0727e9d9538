import Foundation
import JSON
import SyncModel

package enum LookUp: Hashable, Sendable {
    /// The server has the entry.
    case found(Receipt)
    /// The server listed everything, without the entry.
    case absent
    /// Not on this page, but there are more.
    case more(rows: Int)
    /// The answer says nothing about the entry.
    case failed(Verdict)
}

extension Backend {
    /// - Parameter seen: rows on earlier pages.
    package func lookedUp(_ response: InboundResponse, for mutation: Mutation, page: Int = 1, seen: Int = 0, at now: Date) -> LookUp {
        if let interception = interception(in: response) { return .failed(.intercepted(interception)) }
        guard response.isSuccess, !saysFailure(response) else { return .failed(refusal(response, route: nil, at: now)) }
        func unusable(_ message: String) -> LookUp { .failed(.transient(Failure(.profile, status: response.status, message))) }
        guard let route = profile.routes[mutation.route], let find = route.find, let list = response.json?.root.element(at: find.list),
            list.kind == .array
        else { return unusable("The look-up answer of \(name) has no list where the profile expects it.") }
        let id = mutation.id.description
        var (rows, match) = (0, JSONElement?.none)
        for row in list.elements {
            rows += 1
            if row.element(at: find.match)?.scalar?.string?.lowercased() == id { match = row }
        }
        if let row = match {
            let remoteID = remoteID(row.element(at: find.remoteID)?.scalar, of: route)
            if remoteID == nil, route.rows.creates != nil {
                let message = "\(name) has the new row, but lists it without an id by which entries can refer to it."
                return .failed(.unknown(Failure(.refused, status: response.status, message, outcomeUnknown: true)))
            }
            let receipt = Receipt(
                remoteID: remoteID, status: response.status, foundByLookup: true,
                altered: find.echo.flatMap { alteration(of: mutation, in: row.element(at: $0)) }, at: now)
            return .found(receipt)
        }
        guard let pages = find.pages else { return .absent }
        guard let total = pages.totalRows(in: response) else {
            return unusable("The look-up answer of \(name) does not give the total number of rows.")
        }
        switch pages.step(page: page, rows: rows, seen: seen, total: total) {
        case .end: return .absent
        case .more: return .more(rows: rows)
        case .inconclusive: return unusable("The look-up at \(name) did not reach the last row of the list.")
        }
    }
}
