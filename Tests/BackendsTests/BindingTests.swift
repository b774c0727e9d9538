import Foundation
import SyncModel
import Synchronization
import TestSupport
import Testing

@testable import Backends
@testable import Sessions

/// Credentials and account ids are bound to their addresses. See AddressesApart.
@Suite struct BindingTests {
    let bench: TokenBench
    private static let refresh = "request: POST /refresh"
    private static let elsewhere = "request: POST https://evil.example.org/refresh"
    private static let address = "https://api.example.org"
    private static let moved = "https://api.example.net"

    init() throws { bench = try TokenBench() }

    @Test(
        "14: no token goes to an edited address",
        arguments: [refresh, "request: POST /login", "request: POST /logout"])
    func noTokenGoesToAnotherAddress(line: String) async throws {
        let before = try await bench.signedIn().snapshot
        let edited = try bench.keeper(line, line.replacing(" /", with: " https://evil.example.org/"))
        let snapshot = await edited.snapshot
        #expect(snapshot.state == .signInRequired && snapshot.account == nil)
        #expect(snapshot.reason == "the profile now sends credentials to another address")
        #expect(await edited.keepAlive() == nil)
        _ = try await edited.signOut(allDevices: false) {}
        #expect(bench.server.requests.allSatisfy { !$0.url.contains("evil") })
        #expect(before.state == .signedIn)
    }

    @Test func oldAddressRestoresTheSession() async throws {
        let before = try await bench.signedIn().snapshot
        _ = try bench.keeper(Self.refresh, Self.elsewhere)
        #expect(try await bench.keeper().snapshot.atFirst == before.atFirst)
    }

    /// Another server may use the same account number for someone else.
    @Test("14: the account of an ended session is forgotten at another address")
    func forgetsTheAccountOfAnEndedSessionAtAnotherAddress() async throws {
        let keeper = try await bench.signedIn()
        let stale = try await keeper.session()
        bench.server.state.withLock { $0.refresh = nil }
        _ = await failure { () throws(SessionError) in try await keeper.replace(stale) }
        let ended = try bench.keeper()
        #expect(await ended.snapshot.state == .signInRequired)
        #expect(await ended.snapshot.account?.id == "7")
        let moved = try bench.keeper(Self.address, Self.moved)
        #expect(await moved.snapshot.state == .signInRequired)
        #expect(await moved.snapshot.account == nil)
        let edited = try bench.keeper(Self.refresh, Self.elsewhere)
        #expect(await edited.snapshot.account == nil)
    }

    @Test func keepsTheAccountOfAServiceUnderANewAddress() async throws {
        _ = try await bench.signedIn()
        let moved = try bench.keeper(Self.address, "\(Self.moved)\nformerly: [\"\(Self.address)\"]")
        #expect(await moved.snapshot.state == .signInRequired)
        #expect(await moved.snapshot.account?.id == "7")
    }
}
