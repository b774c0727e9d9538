import ControlAPI
import Foundation
import Sandbox
import StationSupport
import TestSupport

extension TestStation {
    /// A station with the shipped profile of BreatheSafe: manager@lab.test has three people, and other@lab.test has one.
    ///
    /// - Parameter answering: replaces responses of the sandbox.
    static func people(
        delivery: String = shortPauses, answering: @escaping @Sendable (SandboxRequest, SandboxResponse) -> SandboxResponse = { $1 }
    ) async throws -> TestStation {
        func person(_ user: Int, _ first: String, _ last: String, manager: Int = 1) -> BreatheSafeConfiguration.ManagedUser {
            .init(user: user, manager: manager, profile: ["first_name": .string(first), "last_name": .string(last)])
        }
        let people = [
            person(9, "Zoë", "Quiroga"), person(5, "Eve", "Lab"), person(7, "Anna", "Example"), person(10, "Bob", "Other", manager: 2),
        ]
        let station = try await TestStation(
            .breatheSafe(BreatheSafeConfiguration { $0.managedUsers = people }), profile: "breathesafe", route: "measurement",
            delivery: delivery, answering: answering)
        try station.keepResources()
        return station
    }

    /// Replaces the profile by the one with its resources.
    func keepResources(of profile: String = "breathesafe", edits: [(String, String)] = []) throws {
        try Self.place(profile, in: directory, baseURL: sandbox.baseURL, edits: edits, rosters: true)
    }

    /// Reads no network.
    func people(find: String? = nil) async throws -> RosterPage {
        try await client.call(Endpoints.roster, RosterQuery(resource: "managed_users", find: find, limit: 500))
    }

    /// Returns after the read has ended.
    @discardableResult
    func refreshPeople() async throws -> RosterReport {
        try await client.call(Endpoints.refreshRoster, RosterReference(resource: "managed_users"))
    }

    /// Refreshes until a read succeeds: one that began before may still fail.
    @discardableResult
    func refreshedPeople() async throws -> RosterReport {
        try await firstValue {
            let report = try await refreshPeople()
            return report.failure == nil ? report : nil
        }
    }

    /// The number of requests for a page, or of those with this response.
    func pageReads(_ status: Int? = nil) -> Int { sandbox.ledger.requestCount("GET", path: "managed_users", status: status) }
}
