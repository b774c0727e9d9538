import Glibc
import Testing

@testable import homing_torture

/// A short run of the campaign `door`.
@Suite struct DoorTests {
    private static let seed = UInt64.random(in: .min ... .max)

    /// Runs at least `rounds` rounds, however slow the machine is.
    private func outcome(_ part: some DoorPart, rounds: Int = 1) async throws -> Outcome {
        var outcome = Outcome("door", seed: Self.seed)
        var seed = Self.seed
        repeat {
            try await part.run(until: .now + .seconds(2), seed: seed, into: &outcome)
            seed &+= 1
        } while outcome.rounds < rounds && outcome.failures.isEmpty
        #expect(outcome.failures.isEmpty, "\(outcome.failures.joined(separator: "\n"))")
        return outcome
    }

    @Test func hostileDropFolderFilesAreDeliveredOrReported() async throws {
        let outcome = try await outcome(HostileSpool(flood: 60, isWhole: false))
        #expect(outcome.lost == 0)
        #expect(outcome.acknowledged > 20)
        #expect(outcome.faults["files with hostile names"] ?? 0 > 20)
        #expect(outcome.faults["links, pipes, sockets, devices and folders"] ?? 0 > 10)
    }

    @Test func deliversOrRefusesFilesWithAnyMetadata() async throws {
        let outcome = try await outcome(HostileMetadata(files: 30, isWhole: false), rounds: 3)
        #expect(outcome.lost == 0)
        #expect(outcome.acknowledged > 40)
    }

    @Test(.enabled(if: geteuid() == 0, "takes root: it connects as other users"))
    func rolesPermitOnlyDocumentedCalls() async throws {
        let outcome = try await outcome(RoleMatrix())
        #expect(outcome.counts["permitted calls"] ?? 0 > 100)
        #expect(outcome.faults["forbidden calls"] ?? 0 > 50)
        #expect(outcome.controls.map(\.failedAsItShould) == [true])
    }

    @Test func hostileConnectionsDoNotBlockOtherCallers() async throws {
        let outcome = try await outcome(HostileConnections())
        #expect(outcome.faults["hostile exchanges over a connection"] ?? 0 > 30)
    }

    @Test func configurationMistakesAreReported() async throws {
        let outcome = try await outcome(HostileConfiguration(inThisProcess: true), rounds: 60)
        #expect(outcome.counts["configurations refused"] ?? 0 > 20)
    }

    @Test func daemonAnswersOrClosesOnHostileRequests() async throws {
        let outcome = try await outcome(HostileRequests(), rounds: 100)
        #expect(outcome.rounds >= 100)
        #expect(outcome.lost == 0)
    }

    /// The campaign replays an input by its number, so the number must determine the input.
    @Test func mutantNumberDeterminesItsInput() {
        for number in UInt64(0)..<40 {
            #expect(Mutant(number, seed: Self.seed).bytes == Mutant(number, seed: Self.seed).bytes)
        }
        #expect(Set((UInt64(0)..<40).map { Mutant($0, seed: Self.seed).bytes }).count > 30)
    }

    @Test(arguments: [
        ("https://www.breathesafe.xyz", true), ("http://127.0.0.1:80/x", true), ("http://localhost", true), ("http://[::1]:8080", true),
        ("http://www.breathesafe.xyz", false), ("https://a@b.example", false), ("http://127.0.0.1.a.example", false),
        ("https://a\u{200b}.example", false),
        ("https://a%2eexample", false), ("https://a.example\\@b", false), ("ftp://a.example", false), ("https://", false),
    ])
    func recognizesPlainAddresses(address: String, isPlain: Bool) { #expect(Destinations.isPlain(address) == isPlain) }
}
