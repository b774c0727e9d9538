import ControlAPI
import Foundation
import Sandbox
import TestSupport
import Testing

@testable import SyncDaemon

@Suite struct ListingTests {
    @Test func listsRoutesAndFieldsOfEachBackend() async throws {
        try await DaemonStation.with { station in
            try await station.running {
                let list = try await station.client.call(Endpoints.backends, NoInput())
                #expect(list.backends.map(\.name) == ["breathesafe"])
                let routes = try #require(list.backends.first?.routes)
                #expect(routes.map(\.name) == routes.map(\.name).sorted())
                let measurement = try #require(routes.first { $0.name == "measurement" })
                #expect(measurement.fields == [FieldSummary(name: "user_id", type: "integer", reference: "managed_users")])
                #expect(measurement.takesPayload && measurement.creates == nil && measurement.then == nil)
                let create = try #require(routes.first { $0.name == "create_managed_user" })
                #expect(create.creates == "managed_users" && create.then == "profile" && create.takesPayload && create.fields.isEmpty)
                let delete = try #require(routes.first { $0.name == "delete_managed_user" })
                #expect(delete.deletes == "managed_users" && delete.confirm == true && !delete.takesPayload && create.confirm == nil)
                let profile = try #require(routes.first { $0.name == "profile" })
                #expect(profile.changes == "managed_users" && profile.form?.contains("first_name") == true)
                let text = String(decoding: JSONCoding.encoded(list), as: UTF8.self)
                #expect(!text.contains(station.sandbox.baseURL) && !text.contains("://"))
            }
        }
    }

    @Test func filtersEntriesAndCountsThem() async throws {
        try await DaemonStation.with { station in
            try await station.running {
                let client = station.client
                _ = try await client.call(Endpoints.signIn, DaemonStation.manager)
                _ = try await client.call(Endpoints.pause, PauseRequest(reason: "so that they wait"))
                let day = Date(timeIntervalSince1970: 1_765_000_000)
                var ids: [String] = []
                for (user, hours) in [("5", 0), ("6", 1), ("5", 2)] {
                    let submission = Submission(
                        route: "measurement", fields: ["user_id": user], payload: try station.capture(),
                        capturedAt: day.addingTimeInterval(Double(hours) * 3600))
                    ids.append(try await client.call(Endpoints.submit, submission).id)
                }
                func found(_ query: EntryQuery) async throws -> EntryPage { try await client.call(Endpoints.entries, query) }
                let five = try await found(EntryQuery(user: "5", limit: 1))
                #expect(five.entries.map(\.id) == [ids[2]] && (five.shown, five.total) == (1, 2) && five.totalIsLeast == nil)
                // The lane is the person's.
                #expect(five.entries.first?.behind == ids[0])
                #expect(five.entries.first?.paused == true)
                #expect(try await client.call(Endpoints.entry, EntryReference(id: ids[0])).entry.paused == true)
                let later = try await found(EntryQuery(route: "measurement", since: day.addingTimeInterval(1)))
                #expect(later.entries.map(\.id) == [ids[1], ids[2]])
                let first = try await found(EntryQuery(state: "pending", user: "5", until: day.addingTimeInterval(7200)))
                #expect(first.entries.map(\.id) == [ids[0]] && first.entries.first?.behind == nil)
                #expect(try await found(EntryQuery(user: "77")).total == 0)
                let problem = await #expect(throws: Problem.self) { try await found(EntryQuery(route: "measurment")) }
                #expect(problem?.code == .notFound && problem?.detail.contains("There is no route ‘measurment’; configured: ") == true)
                #expect(try await found(EntryQuery(route: "fit_test")).total == 0)
            }
        }
    }
}
