import Capture
import ControlAPI
import Foundation
import Sandbox
import SyncDaemon
import SyncModel
import TestSupport
import Testing

@Suite struct DaemonTests {
    @Test func deliversCaptureOnceAndReportsIt() async throws {
        try await DaemonStation.with { station in
            try await station.running {
                let client = station.client
                #expect(try await station.status().sentence == "Not signed in. Nothing is waiting.")
                let session = try await client.call(Endpoints.signIn, DaemonStation.manager)
                #expect(session.state == "signedIn")
                #expect(session.email == "manager@lab.test")

                let receipt = try await station.submit()
                #expect(!receipt.duplicate)
                #expect(receipt.lane == "users/5")
                #expect(receipt.account == session.account)
                try await station.delivered(receipt.id)

                #expect(try await station.submit(id: receipt.id).duplicate)
                let detail = try await client.call(Endpoints.entry, EntryReference(id: receipt.id))
                #expect(detail.entry.state == "delivered")
                #expect(detail.attempts.map(\.verdict) == ["accepted"])
                let remote = try #require(detail.entry.remoteID)
                let why = try await client.call(Endpoints.why, EntryReference(id: receipt.id))
                #expect(why.sentence.hasPrefix("Delivered to breathesafe for manager@lab.test with the server id \(remote) at "))
                #expect(station.sandbox.ledger.entries(clientMutationID: receipt.id).count == 1)
                let status = try await station.status()
                #expect(status.sentence == "Everything has been delivered: 1 capture. Nothing is waiting.")
                #expect(status.attention.isEmpty)

                let report = try await client.call(Endpoints.signOut, SignOut())
                #expect(report.local == "cleared")
                #expect(report.server == "ended")
                #expect(report.waiting == 0)
                #expect(try await client.call(Endpoints.sessions, NoInput()).sessions.map(\.state) == ["signedOut"])
            }
        }
    }

    @Test func signedOutDaemonRefusesSubmissionAndSetsFileAside() async throws {
        try await DaemonStation.with { station in
            try await station.running {
                await #expect {
                    try await station.submit()
                } throws: { error in
                    let problem = error as? Problem
                    return problem?.code == .signInRequired && problem?.status == 409 && problem?.next?.contains("homing login") == true
                }
                try station.directory.write(
                    String(decoding: try station.capture(), as: UTF8.self), to: "draft.json")
                let folder = station.configuration.spool.directory + "/new/users/5"
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                try FileManager.default.moveItem(atPath: station.directory("draft.json"), toPath: folder + "/a.json")
                try await until { try await station.status().spool?.unclaimed == 1 }
                let before = try await station.status()
                #expect(before.sentence == "1 capture is safe here and cannot be sent until an account signs in.")
                #expect(before.attention.map(\.code) == ["sign-in-required"])

                _ = try await station.client.call(Endpoints.signIn, DaemonStation.manager)
                #expect(try await station.client.call(Endpoints.claim, NoInput()).files == 1)
                try await station.event { $0.kind == "delivered" }
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
                #expect(try await station.status().spool?.waiting == 0)
                #expect(station.sandbox.ledger.entries.count == 1)
            }
        }
    }

    @Test func wrongPasswordIsRefused() async throws {
        try await DaemonStation.with { station in
            try await station.running {
                let wrong = SignIn(email: "manager@lab.test", password: "wrong")
                await #expect { _ = try await station.client.call(Endpoints.signIn, wrong) } throws: {
                    ($0 as? Problem)?.code == .signInRefused
                }
                await #expect { try await station.submit() } throws: { ($0 as? Problem)?.code == .signInRequired }
            }
        }
    }

    @Test func captureDuringOutageSurvivesRestartAndIsDeliveredOnce() async throws {
        try await DaemonStation.with { station in
            var id = ""
            try await station.running {
                _ = try await station.client.call(Endpoints.signIn, DaemonStation.manager)
                await station.sandbox.down()
                id = try await station.submit().id
                try await station.event { $0.kind == "released" && $0.entry == id }
                let status = try await station.status()
                #expect(status.sentence.hasPrefix("1 capture is safe here and waits for the network: "))
                #expect(try await station.client.call(Endpoints.entry, EntryReference(id: id)).entry.attempts == 0)
            }
            #expect(!FileManager.default.fileExists(atPath: station.client.socketPath))
            try await station.sandbox.up()
            try await station.running {
                try await station.delivered(id)
                #expect(try await station.client.call(Endpoints.sessions, NoInput()).sessions.map(\.email) == ["manager@lab.test"])
            }
            #expect(station.sandbox.ledger.entries(clientMutationID: id).count == 1)
        }
    }

    @Test func captureIsNeverSentAsAnotherAccount() async throws {
        try await DaemonStation.with { station in
            try await station.running {
                let client = station.client
                let mine = try await client.call(Endpoints.signIn, DaemonStation.manager).account
                await station.sandbox.down()
                let receipt = try await station.submit()
                let report = try await client.call(Endpoints.signOut, SignOut())
                #expect(report.local == "cleared")
                #expect(report.server == "failed")
                #expect(report.waiting == 1)
                try await station.sandbox.up()

                let theirs = try await client.call(Endpoints.signIn, DaemonStation.other).account
                #expect(mine != theirs)
                let sync = try await client.call(Endpoints.sync, SyncRequest())
                #expect(sync.waiting == 0)
                let status = try await station.status()
                #expect(
                    status.sentence == "1 capture waits for manager@lab.test to sign in again; everything else has been delivered.")
                #expect(status.attention.map(\.code) == ["other-account"])
                let why = try await client.call(Endpoints.why, EntryReference(id: receipt.id))
                #expect(why.sentence.hasPrefix("It waits for manager@lab.test to sign in, but other@lab.test is signed in."))
                #expect(station.sandbox.ledger.entries.isEmpty)
                await #expect { _ = try await client.call(Endpoints.signIn, DaemonStation.manager) } throws: {
                    ($0 as? Problem)?.code == .alreadySignedIn
                }

                _ = try await client.call(Endpoints.signOut, SignOut())
                _ = try await client.call(Endpoints.signIn, DaemonStation.manager)
                try await station.delivered(receipt.id)
                #expect(station.sandbox.ledger.entries(clientMutationID: receipt.id).count == 1)
            }
        }
    }

    @Test func secondDaemonOnSameStateIsRefused() async throws {
        try await DaemonStation.with { station in
            try await station.running {
                let error = await #expect(throws: StartError.self) { _ = try await station.daemon() }
                #expect(error?.description.contains("Another daemon is already running") == true)
                _ = try await station.client.call(Endpoints.signIn, DaemonStation.manager)
                try await station.delivered(try await station.submit().id)
            }
        }
    }

    @Test func callsResolveNumbersAndPartialIDs() async throws {
        try await DaemonStation.with { station in
            try await station.running {
                let client = station.client
                _ = try await client.call(Endpoints.signIn, DaemonStation.manager)
                let (first, second) = ("11111111-0000-7000-8000-00000000abcd", "22222222-0000-7000-8000-00000001abcd")
                for id in [first, second] { try await station.delivered(try await station.submit(id: id).id) }

                for name in ["1", "#1", "1111", "0000ABCD", "00000000abcd", "8000-00000000abcd", first.uppercased()] {
                    let reference = EntryReference(id: name)
                    #expect(try await client.call(Endpoints.entry, reference).entry.id == first, "\(name)")
                    #expect(try await client.call(Endpoints.why, reference).id == first, "\(name)")
                    #expect(try await client.call(Endpoints.receipt, reference).id == first, "\(name)")
                    let retry = await #expect(throws: Problem.self) { try await client.call(Endpoints.retry, RetryRequest(id: name)) }
                    let discard = await #expect(throws: Problem.self) {
                        try await client.call(Endpoints.discard, DiscardRequest(id: name))
                    }
                    #expect(retry?.code == .wrongState && discard?.code == .wrongState, "\(name)")
                }

                let part = "an id that begins or ends with"
                for (name, status, detail) in [
                    ("abcd", 400, "Several entries have \(part) ‘abcd’: #2 00000001abcd, #1 00000000abcd."),
                    ("#3", 404, "There is no entry with the number 3."), ("ffff", 404, "There is no entry with \(part) ‘ffff’."),
                    ("4711", 404, "There is no entry with the number 4711 or \(part) ‘4711’."),
                ] {
                    let reference = EntryReference(id: name)
                    let why = await #expect(throws: Problem.self) { try await client.call(Endpoints.why, reference) }
                    let discard = await #expect(throws: Problem.self) {
                        try await client.call(Endpoints.discard, DiscardRequest(id: name))
                    }
                    #expect(why?.status == status && why?.detail == detail && why?.next != nil)
                    #expect(discard == why)
                }
            }
        }
    }

    @Test func unknownIDsAndInvalidRequestsReturnProblems() async throws {
        try await DaemonStation.with { station in
            try await station.running {
                let client = station.client
                let nobody = EntryReference(id: Samples.id(1).description)
                await #expect { _ = try await client.call(Endpoints.discard, DiscardRequest(id: nobody.id)) } throws: {
                    ($0 as? Problem)?.code == .notFound
                }
                await #expect { _ = try await client.call(Endpoints.retry, RetryRequest(id: nobody.id)) } throws: {
                    ($0 as? Problem)?.code == .notFound
                }
                await #expect { _ = try await client.call(Endpoints.entry, EntryReference(id: "seven")) } throws: {
                    ($0 as? Problem)?.detail == "‘seven’ is not an entry number or id."
                }
                await #expect { _ = try await client.call(Endpoints.sync, SyncRequest(backend: "x")) } throws: {
                    ($0 as? Problem)?.detail == "There is no backend ‘x’. Configured: breathesafe."
                }
                _ = try await client.call(Endpoints.signIn, DaemonStation.manager)
                await #expect { _ = try await client.call(Endpoints.submit, Submission(route: "nothing")) } throws: {
                    ($0 as? Problem)?.code == .invalidRequest
                }
                let broken = Submission(route: "measurement", fields: ["user_id": "5"], payload: Data("{".utf8))
                await #expect { _ = try await client.call(Endpoints.submit, broken) } throws: {
                    ($0 as? Problem)?.detail.contains("is not a JSON document") == true
                }
                #expect(try await client.call(Endpoints.entries, EntryQuery()).entries.isEmpty)
            }
        }
    }
}
