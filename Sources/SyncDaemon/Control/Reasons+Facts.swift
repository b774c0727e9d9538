import Backends
import ControlAPI
import Delivery
import Foundation
import Sessions
import SyncModel

/// The facts in groups. Each fact must be given, so that none is forgotten.
extension Reasons {
    /// The profile's declarations for the entry's route.
    struct RouteFacts {
        var hasProfile: Bool
        var canLookUp: Bool
        /// A look-up requests the row that the entry refers to.
        var looksUpRow: Bool
        /// Its row is read before each send.
        var readsRow: Bool
        /// A delivery deletes the row that the entry refers to.
        var deletes: Bool
        /// A delivery changes that row.
        var changes: Bool
        /// The fields whose values decide its lane.
        var laneFields: Set<String>
        /// The word for the entry, such as `deletion`; nil for a backend without a profile.
        var noun: Optional<String>
    }

    /// The list with the row that the entry refers to or creates.
    struct ListFacts {
        /// The words for its rows.
        var title: Resource.Title
        /// How to read it again.
        var refresh: String
        /// The name of the new row; nil if it is unknown or hidden.
        var newLabel: Optional<String>
        /// True if the creation can be looked up.
        var canLookUpCreate: Bool
        /// Rows that the create may have made; nil if its outcome is known.
        var candidates: Optional<CreatedCandidates>

        static var none: Self {
            Self(title: Resource.Title(one: "row", many: "rows"), refresh: "", newLabel: nil, canLookUpCreate: false, candidates: nil)
        }
    }

    /// The possible causes of a delay of the next send.
    struct Obstacles {
        var pause: Optional<PauseReport>
        var gate: Optional<Gate>
        /// Why its route is cooling; nil if it is not.
        var routeGate: Optional<RouteGate>
        /// The refusal of the only other entry that fails on this route.
        var refusal: Optional<Refusal>
        var session: Optional<SessionSnapshot>
        /// The former backend address that the entry is bound to, if the profile has since changed.
        var formerAddress: Optional<String>
        /// Outcomes cannot be stored, so nothing is sent.
        var isDiskFull: Bool
        /// The path of the store's file if that was deleted or replaced.
        var lostStore: Optional<String>
        /// When its route is tried again, if it waits only for an entry that a person has fixed, retried or discarded since.
        var nextTurn: Optional<Date>

        static var none: Self {
            Self(
                pause: nil, gate: nil, routeGate: nil, refusal: nil, session: nil, formerAddress: nil, isDiskFull: false, lostStore: nil,
                nextTurn: nil)
        }
    }
}

extension Reasons.RouteFacts {
    /// - Parameter backend: nil without a profile.
    init(of route: String, at backend: Backend?) {
        self.init(
            hasProfile: backend != nil, canLookUp: backend?.canLookUp(route: route) == true,
            looksUpRow: backend?.looksUpRow(route: route) == true, readsRow: backend?.freshResource(route: route) != nil,
            deletes: backend?.deletes(route: route) != nil, changes: backend?.changes(route: route) != nil,
            laneFields: backend?.laneFields(route: route) ?? [], noun: backend?.noun(route: route))
    }
}
